-- Ends a key that works.
-- KEYS 2 key  3 account  4 audit
-- ARGV 3 account  4 who  5 hash
if wiped() then return { 'wiped' } end
local key = redis.call('HMGET', KEYS[2], 'status', 'expires', 'mask', 'name')
local now = clock()
if not works(key[1], key[2], now) then return { 'unknown' } end
redis.call('HSET', KEYS[2], 'status', 'revoked')
local account = redis.call('HMGET', KEYS[3], 'kind', 'key')
-- A device keeps its one key, ended.
if account[1] ~= 'guest' and account[2] == ARGV[5] then redis.call('HSET', KEYS[3], 'key', '') end
audit(KEYS[4], now, ARGV[4], 'revoke', ARGV[3], auditName(key[3], key[4]), '')
return { 'revoked' }
