-- Restores an orphan's hold on limits that accounts share while it still runs, less what it was charged.
-- ARGV 3 lease  4 request  5 checkpoint or ''  6 the counters and its cells, as rules.lua reads them, '' for none
--      7 what it weighed
if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[2], 'state', 'hold', 'shared', 'charge')
if kept[1] ~= 'orphan' then return { kept[1] or 'ended' } end
local whole, was, pieces = readHold(kept[2]), readCharge(kept[4])
local taken = ARGV[6] ~= '' and rules.readTaken(ARGV[6], whole, KEYS[2], now)
local weigh = weighingShared(KEYS[4], KEYS[2], kept[3], whole.spentCost + whole.cost)

-- The lease is the first change, behind all that is read.
redis.call('ZADD', KEYS[3], digits(now + tonumber(ARGV[3])), ARGV[4])
weigh()
redis.call('HSET', KEYS[2], 'state', 'open', 'checkpoint', was and '' or ARGV[5])
if was then redis.call('HSET', KEYS[2], 'resumed', '1') end
if taken then
  local weight = ARGV[7]
  if was then
    was.images, was.seconds = rules.pieces(pieces)
    weight = rules.weightWithout(weight, was)
  end
  rules.resume(taken, weight)
  redis.call('HSET', KEYS[2], 'weight', weight)
end
redis.call('PERSIST', KEYS[2])
return { 'resumed' }
