-- Makes a key the active one of its account, unless it has one.
-- KEYS 2 account  3 key  4 keys of the bucket by number
-- ARGV 3 account  4 label  5 plan  6 hash  7 mask  8 number
if wiped() then return { 'wiped' } end
local active = redis.call('HGET', KEYS[2], 'key')
if active and active ~= '' then return { 'exists', active } end
local now = clock()
redis.call('HSETNX', KEYS[2], 'created', now)
redis.call('HSET', KEYS[2], 'label', ARGV[4], 'plan', ARGV[5], 'key', ARGV[6])
redis.call('HSET', KEYS[3], 'account', ARGV[3], 'status', 'active', 'mask', ARGV[7], 'created', now, 'number', ARGV[8])
redis.call('ZADD', KEYS[4], ARGV[8], ARGV[6])
return { 'minted' }
