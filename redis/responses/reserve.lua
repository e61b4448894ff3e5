-- Reserves room for a response before it is kept, in place of the room of an earlier one with its name.
-- KEYS 2 ends  3 bytes
-- ARGV 3 its name  4 its bytes  5 for how long in ms  6 most bytes
if wiped() then return { 'wiped' } end
giveBackEnded()
local bytes = number(ARGV[4])
local before = number(redis.call('HGET', KEYS[3], ARGV[3]) or '0')
if sum() - before + bytes > number(ARGV[6]) then return { 'full' } end
giveBack(ARGV[3])
redis.call('ZADD', KEYS[2], digits(clock() + number(ARGV[5])), ARGV[3])
redis.call('HSET', KEYS[3], ARGV[3], digits(bytes))
redis.call('HINCRBY', KEYS[3], SUM, digits(bytes))
return { 'taken' }
