-- Stores a gateway's counts of a minute, in place of those that it wrote for that minute before.
-- KEYS 2 the minutes of an hour: counts by `minute gateway`
-- ARGV 3 `minute gateway`  4 counts  5 how long the hour is kept, in ms  6 the most fields of an hour
if wiped() then return { 'wiped' } end
if not redis.call('HGET', KEYS[2], ARGV[3]) and redis.call('HLEN', KEYS[2]) >= number(ARGV[6]) then
  return { 'full' }
end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return { 'done' }
