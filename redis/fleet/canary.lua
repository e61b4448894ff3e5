-- Replaces the counts of a canary, unless another gateway did meanwhile.
-- KEYS 2 counts by canary
-- ARGV 3 canary  4 the counts that are expected, '' for none  5 the next ones, '' for none
if wiped() then return { 'wiped' } end
if (redis.call('HGET', KEYS[2], ARGV[3]) or '') ~= ARGV[4] then return { 'changed' } end
if ARGV[5] == '' then
  redis.call('HDEL', KEYS[2], ARGV[3])
else
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[5])
end
return { 'done' }
