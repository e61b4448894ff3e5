-- Ends the active key of an account and makes another one active in its place.
-- KEYS 2 account  3 current key  4 next key  5 keys of the bucket by number  6 keys of the account  7 audit
-- ARGV 3 account  4 current hash  5 next hash  6 next mask  7 number  8 who
if wiped() then return { 'wiped' } end
local current = redis.call('HMGET', KEYS[3], 'status', 'mask')
if current[1] ~= 'active' or redis.call('HGET', KEYS[2], 'key') ~= ARGV[4] then return { 'unknown' } end
local now = clock()
redis.call('HSET', KEYS[3], 'status', 'rotated')
redis.call('HSET', KEYS[4], 'account', ARGV[3], 'status', 'active', 'mask', ARGV[6], 'created', now, 'number', ARGV[7])
redis.call('HSET', KEYS[2], 'key', ARGV[5])
redis.call('ZADD', KEYS[5], ARGV[7], ARGV[5])
redis.call('LPUSH', KEYS[6], ARGV[5])
redis.call('LTRIM', KEYS[6], 0, 20)
audit(KEYS[7], now, ARGV[8], 'rotate', ARGV[3], current[2], ARGV[6])
return { 'rotated' }
