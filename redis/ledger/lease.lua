-- Grants a lease to one holder at a time; a duration of 0 returns it.
-- KEYS 2 the lease  ARGV 3 holder  4 milliseconds
if wiped() then return { 'wiped' } end
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= ARGV[3] then return { 'held' } end
if number(ARGV[4]) > 0 then redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4]) else redis.call('DEL', KEYS[2]) end
return { 'leased' }
