-- Makes a key the active one of its account, unless it has one. The account of a label begins here.
-- KEYS 2 account  3 key  4 keys of the bucket by number  5 keys of the account  6 audit
-- ARGV 3 account  4 kind  5 label  6 terms for a new account  7 hash  8 mask  9 number  10 who, '' for no audit
--      11 terms before, '' where they do not matter  12 terms after  13 plan before, 14 plan after, for the audit
if wiped() then return { 'wiped' } end
local active = redis.call('HMGET', KEYS[2], 'key', 'terms')
if active[1] and active[1] ~= '' then return { 'exists', active[1] } end
local now = clock()
if not active[2] then
  redis.call('HSET', KEYS[2], 'kind', ARGV[4], 'label', ARGV[5], 'terms', ARGV[6], 'created', now)
elseif ARGV[11] ~= '' then
  if active[2] ~= ARGV[11] then return { 'changed' } end
  redis.call('HSET', KEYS[2], 'terms', ARGV[12])
  if ARGV[13] ~= ARGV[14] then audit(KEYS[6], now, ARGV[10], 'set-plan', ARGV[3], ARGV[13], ARGV[14]) end
end
redis.call('HSET', KEYS[2], 'key', ARGV[7])
redis.call('HSET', KEYS[3], 'account', ARGV[3], 'status', 'active', 'mask', ARGV[8], 'created', now, 'number', ARGV[9])
redis.call('ZADD', KEYS[4], ARGV[9], ARGV[7])
redis.call('LPUSH', KEYS[5], ARGV[7])
redis.call('LTRIM', KEYS[5], 0, 20)
audit(KEYS[6], now, ARGV[10], 'mint', ARGV[3], '', ARGV[8])
return { 'minted' }
