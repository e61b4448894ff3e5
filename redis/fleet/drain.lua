-- Drains a pool or a replica, or undrains it, unless another gateway did either meanwhile.
-- KEYS 2 drained places  3 the last change of each place that ever was one: names by place
-- ARGV 3 drain|undrain  4 place  5 the change before this one, '' for none  6 this change: one that is repeated after others
--      is known by them, even where they led back to the same
if wiped() then return { 'wiped' } end
local last = redis.call('HGET', KEYS[3], ARGV[4]) or ''
-- A gateway repeats this call after a failover, and the change was already made.
if last == ARGV[6] then return { 'known' } end
if last ~= ARGV[5] then return { 'changed' } end
if ARGV[3] == 'drain' then
  redis.call('HSET', KEYS[2], ARGV[4], '1')
else
  redis.call('HDEL', KEYS[2], ARGV[4])
end
redis.call('HSET', KEYS[3], ARGV[4], ARGV[6])
return { 'done' }
