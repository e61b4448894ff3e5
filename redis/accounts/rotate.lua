-- Makes a key in place of a working one, which ends at once or after a grace period.
-- KEYS 2 account  3 current key  4 next key  5 keys of the bucket by number  6 keys of the account  7 audit
--      8 what the names of keys begin with  9 counters of its rules
-- ARGV 3 account  4 current hash  5 next hash  6 next mask  7 number  8 who  9 next id  10 how long the next one works, ''
--      for as long as the current one  11 the id of the current one, if it has none  12 how long that works on, '' for not
--      13 most keys  14 what the audit says of that  15 what the next one narrows, '=' for what the current one does
--      16 what the audit says of that  17 `again` if repeated to a promoted replica
if wiped() then return { 'wiped' } end
local current = redis.call('HMGET', KEYS[3], 'status', 'expires', 'mask', 'name', 'narrow', 'account', 'replaced',
  'origin', 'id')
local now, again = clock(), ARGV[17] == 'again'
local made, revoker = madeOrRevoked(KEYS[4])
if made then return { 'known' } end
-- The key worked when it was rotated. A later call that ended it may have been repeated first.
local isWorking = again or works(current[1], current[2], now)
if not isWorking or current[6] ~= ARGV[3] or current[7] then return { 'unknown' } end
local expires = current[2]
if ARGV[12] ~= '' then
  if not again and workingKeys(KEYS[6], KEYS[8], '', now) >= tonumber(ARGV[13]) then return { 'full' } end
  local ends = now + tonumber(ARGV[12])
  if expires then ends = math.min(ends, tonumber(expires)) end
  redis.call('HSET', KEYS[3], 'expires', digits(ends), 'replaced', ARGV[9])
else
  local status = current[1] == 'active' and 'rotated' or current[1]
  redis.call('HSET', KEYS[3], 'status', status, 'replaced', ARGV[9])
end
if ARGV[10] ~= '' then expires = digits(now + tonumber(ARGV[10])) end
local narrow = ARGV[15]
if narrow == '=' then narrow = current[5] end
writeKey(KEYS[4], {
  account = ARGV[3], mask = ARGV[6], created = digits(now), number = ARGV[7], id = ARGV[9], name = current[4],
  expires = expires, narrow = narrow, origin = current[8] or current[9] or ARGV[11],
})
if not current[4] then redis.call('HSET', KEYS[2], 'key', ARGV[5]) end
redis.call('ZADD', KEYS[5], ARGV[7], ARGV[5])
redis.call('LPUSH', KEYS[6], ARGV[5])
trimCounters(KEYS[9], KEYS[6], KEYS[8], now)
audit(KEYS[7], now, ARGV[8], 'rotate', ARGV[3], auditName(current[3], current[4]) .. ARGV[14],
  auditName(ARGV[6], current[4]) .. ARGV[16])
endRevoked(revoker, KEYS[4], ARGV[5], KEYS[2], ARGV[3], KEYS[7], revoker, now)
return { 'rotated' }
