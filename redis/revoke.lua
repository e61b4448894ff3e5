-- Ends a key.
-- KEYS 2 key  3 account
if wiped() then return { 'wiped' } end
if redis.call('HGET', KEYS[2], 'status') ~= 'active' then return { 'unknown' } end
redis.call('HSET', KEYS[2], 'status', 'revoked')
redis.call('HSET', KEYS[3], 'key', '')
return { 'revoked' }
