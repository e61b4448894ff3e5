-- Stores a response that was written aside in place of the one with its id, and deletes the oldest until
-- all fit. Returns the ids that it deleted.
-- KEYS 2 kept  3 order  4 items  5 the beginning of names  6 where it was written
-- ARGV 3 account  4 id  5 its bytes  6 how long in ms  7 most bytes  8 most responses  9… its items
if wiped() then return { 'wiped' } end
if redis.call('EXISTS', KEYS[6]) == 0 then return { 'gone' } end
local now = clock()
local bytes, keep, most = number(ARGV[5]), number(ARGV[6]), number(ARGV[7])
local last = number(redis.call('HGET', KEYS[2], LAST) or '0') + 1
drop(ARGV[4], now)
local gone = { 'kept' }
while true do
  local oldest = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  if not oldest then break end
  local expires = readHead(redis.call('HGET', KEYS[2], oldest) or '').expiresAt
  local fits = number(redis.call('HGET', KEYS[2], BYTES) or '0') + bytes <= most
    and redis.call('ZCARD', KEYS[3]) < number(ARGV[8])
  -- Redis deletes a response when its time is over, and knows nothing of what leads to it.
  if fits and expires and expires > now then break end
  if not drop(oldest, now) then redis.call('ZREM', KEYS[3], oldest) end
  gone[#gone + 1] = oldest
end
local place = placeText(last)
local items = {}
for at = 9, #ARGV do
  items[#items + 1] = ' ' .. ARGV[at]
  redis.call('ZADD', KEYS[4], 0, ARGV[at] .. ' ' .. place .. ' ' .. ARGV[4])
end
redis.call('RENAME', KEYS[6], nameOf(ARGV[4]))
redis.call('PEXPIRE', nameOf(ARGV[4]), ARGV[6])
redis.call('HSET', KEYS[2], LAST, digits(last),
  ARGV[4], headText({ place = place, expiresAt = now + keep, bytes = bytes, items = table.concat(items) }))
redis.call('HINCRBY', KEYS[2], BYTES, digits(bytes))
redis.call('ZADD', KEYS[3], last, ARGV[4])
for at = 2, 4 do
  if redis.call('PTTL', KEYS[at]) < keep then redis.call('PEXPIRE', KEYS[at], ARGV[6]) end
end
return gone
