-- One holder at a time, for so long; a time of 0 gives the lease back.
-- KEYS 2 the lease  ARGV 3 holder  4 milliseconds
if wiped() then return { 'wiped' } end
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= ARGV[3] then return { 'held' } end
if number(ARGV[4]) > 0 then redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4]) else redis.call('DEL', KEYS[2]) end
return { 'leased' }
