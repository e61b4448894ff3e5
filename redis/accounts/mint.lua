-- Makes a key of an account, unless a key of that name works or the account has its most. The account of a label begins here.
-- KEYS 2 account  3 key  4 keys of the bucket by number  5 keys of the account  6 audit  7 what the names of keys begin with
--      8 counters of its rules
-- ARGV 3 account  4 kind  5 label  6 terms for a new account  7 hash  8 mask  9 number  10 who, '' for no audit
--      11 terms before, '' where they do not matter  12 terms after  13 plan before, 14 plan after, for the audit
--      15 most keys  16 id, '' for none  17 name, '' for the first key  18 how long it works, '' for ever
--      19 what it narrows, '' for nothing  20 the key, as the audit says it  21 the newest key of those that the name was compared
--      with, '' for none; behind all of them `again` if repeated to a promoted replica
if wiped() then return { 'wiped' } end
local account = redis.call('HMGET', KEYS[2], 'key', 'terms')
local now = clock()
-- This call minted the key before; the key may have been revoked since.
local made, revoker = madeOrRevoked(KEYS[3])
if made then return { 'exists', ARGV[7] } end
local working, named = workingKeys(KEYS[5], KEYS[7], ARGV[17], now)
-- There was room for it at first. The calls that ended the other keys may be repeated later.
local again = ARGV[#ARGV] == 'again'
if again then working, named = 0, nil end
-- A key that was made since may have a similar name.
if not again and ARGV[17] ~= '' and (redis.call('LINDEX', KEYS[5], 0) or '') ~= ARGV[21] then return { 'changed' } end
-- A device has one key for ever, even if that key was revoked.
if ARGV[4] == 'guest' and account[1] and account[1] ~= '' then named = account[1] end
if named then return { 'exists', named } end
if working >= tonumber(ARGV[15]) then return { 'full' } end
if not account[2] then
  redis.call('HSET', KEYS[2], 'kind', ARGV[4], 'label', ARGV[5], 'terms', ARGV[6], 'created', now, 'key', '')
elseif ARGV[11] ~= '' then
  if account[2] ~= ARGV[11] then return { 'changed' } end
  redis.call('HSET', KEYS[2], 'terms', ARGV[12])
  if ARGV[13] ~= ARGV[14] then audit(KEYS[6], now, ARGV[10], 'set-plan', ARGV[3], ARGV[13], ARGV[14]) end
end
if ARGV[17] == '' then redis.call('HSET', KEYS[2], 'key', ARGV[7]) end
writeKey(KEYS[3], {
  account = ARGV[3], mask = ARGV[8], created = digits(now), number = ARGV[9], id = ARGV[16], name = ARGV[17],
  expires = ARGV[18] ~= '' and digits(now + tonumber(ARGV[18])), narrow = ARGV[19],
})
redis.call('ZADD', KEYS[4], ARGV[9], ARGV[7])
redis.call('LPUSH', KEYS[5], ARGV[7])
trimCounters(KEYS[8], KEYS[5], KEYS[7], now)
audit(KEYS[6], now, ARGV[10], 'mint', ARGV[3], '', ARGV[20])
endRevoked(revoker, KEYS[3], ARGV[7], KEYS[2], ARGV[3], KEYS[6], revoker, now)
return { 'minted' }
