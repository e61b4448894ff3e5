-- Ends a key.
-- KEYS 2 key  3 account  4 audit
-- ARGV 3 account  4 who
if wiped() then return { 'wiped' } end
local key = redis.call('HMGET', KEYS[2], 'status', 'mask')
if key[1] ~= 'active' then return { 'unknown' } end
redis.call('HSET', KEYS[2], 'status', 'revoked')
-- A device keeps its one key, ended.
if redis.call('HGET', KEYS[3], 'kind') ~= 'guest' then redis.call('HSET', KEYS[3], 'key', '') end
audit(KEYS[4], clock(), ARGV[4], 'revoke', ARGV[3], key[2], '')
return { 'revoked' }
