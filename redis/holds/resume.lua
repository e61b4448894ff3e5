-- Restores the hold of an orphan that still runs, less what it was charged. No limit is judged.
-- KEYS 2 counters  3 spend of the window of admission  4 hold  5 leases  6 ledger  7 what guests share, without the day
--      8 ring of the minute
-- ARGV 3 lease  4 request  5 checkpoint or ''
-- If rules count the request, more follow: in KEYS the groups of their counters, in ARGV 6 the counters
-- and its cells, as rules.lua reads them  7 what it weighed
if wiped() then return { 'wiped' } end
local now, request = clock(), ARGV[4]
local kept = redis.call('HMGET', KEYS[4], 'state', 'hold', 'shared', 'pieces')
if kept[1] ~= 'orphan' then return { kept[1] or 'ended' } end
local was, isOver = orphanRow(KEYS[6], request)
if isOver then return { 'ended' } end

local whole, counters = readHold(kept[2]), readCounters(KEYS[2], KEYS[3], KEYS[8])
local hold, left = kept[2], whole
if was then hold, left = withoutCharge(whole, was) end
roll(counters, now)
if recordOf(counters, left.second) then addToBucket(counters, left.second, 0, left.tokens) end
counters.concurrent = counters.concurrent + 1
counters.held = counters.held + left.spentCost + left.cost
local taken = rules and rules.readTaken(ARGV[6], whole, KEYS[4], now)
local weigh = weighingShared(KEYS[7], KEYS[4], kept[3], whole.spentCost + whole.cost)

-- The lease is the first change, behind all that is read.
redis.call('ZADD', KEYS[5], digits(now + tonumber(ARGV[3])), request)
writeCounters(KEYS[2], KEYS[3], counters)
weigh()
redis.call('HSET', KEYS[4], 'state', 'open', 'hold', hold, 'checkpoint', was and '' or ARGV[5])
if was then redis.call('HSET', KEYS[4], 'resumed', kept[2]) end
if taken then
  local weight = ARGV[7]
  if was then
    was.images, was.seconds = rules.pieces(kept[4] or '')
    weight = rules.weightWithout(weight, was)
  end
  rules.resume(taken, weight)
  redis.call('HSET', KEYS[4], 'weight', weight)
end
redis.call('PERSIST', KEYS[4])
return { 'resumed' }
