-- Replaces the current change of all gateways by the next one.
-- KEYS 2 change: its head, and contents by id
-- ARGV 3 the head that is expected, '' for none  4 the next head  5 its content, '' where that is there
--      6 its id  7 the id of another change whose content is kept, '' for none
if wiped() then return { 'wiped' } end
local head = redis.call('HGET', KEYS[2], 'head') or ''
-- A gateway repeats this call after a failover, and the change was already made.
if head == ARGV[4] then return { 'known' } end
if head ~= ARGV[3] then return { 'changed' } end
redis.call('HSET', KEYS[2], 'head', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[2], 'content:' .. ARGV[6], ARGV[5]) end
for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
  if field ~= 'head' and field ~= 'content:' .. ARGV[6] and field ~= 'content:' .. ARGV[7] then
    redis.call('HDEL', KEYS[2], field)
  end
end
return { 'done' }
