-- Revokes a working key.
-- KEYS 2 key  3 account  4 audit
-- ARGV 3 account  4 who  5 hash  6 `again` if repeated to a promoted replica
if wiped() then return { 'wiped' } end
local key = redis.call('HMGET', KEYS[2], 'status', 'expires')
local now = clock()
if works(key[1], key[2], now) then
  revokeKey(KEYS[2], ARGV[5], KEYS[3], ARGV[3], KEYS[4], ARGV[4], now)
  return { 'revoked' }
end
if ARGV[6] ~= 'again' then return { 'unknown' } end
if key[1] then return { 'known' } end
revokeAhead(KEYS[2], ARGV[4])
return { 'revoked' }
