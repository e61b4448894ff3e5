-- Keeps a text for a while: a device code, or a login of an agent.
-- KEYS 2 the record: `text`, and `end` in ms
-- ARGV 3 find|put|replace  4 put: how long it is kept, in ms; replace: the expected text  5 put: the text; replace: the next text,
--      absent to remove the record
if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[2], 'text', 'end')
local text = kept[1] and number(kept[2]) > now and kept[1]
if ARGV[3] == 'find' then
  if not text then return { 'unknown' } end
  return { 'found', text }
end
if ARGV[3] == 'put' then
  if text then return { 'exists' } end
  redis.call('HSET', KEYS[2], 'text', ARGV[5], 'end', digits(now + number(ARGV[4])))
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
  return { 'done' }
end
if text ~= ARGV[4] then return { 'changed' } end
if ARGV[5] then
  redis.call('HSET', KEYS[2], 'text', ARGV[5])
else
  redis.call('DEL', KEYS[2])
end
return { 'done' }
