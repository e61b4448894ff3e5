-- Restores the hold of a running request whose admission this server lacks.
-- KEYS 2 counters  3 spend of the window of admission  4 hold  5 leases  6 ledger  7 ring of the minute
-- ARGV 3 lease  4 request  5 account  6 window start  7 hold  8 checkpoint or ''  9 the second and the calendar windows of its
--      admission
-- If rules count the request, more follow: in KEYS the groups of their counters, in ARGV 10 the counters
-- and its cells, as rules.lua reads them  11 the same cells as texts  12 what it weighs
if wiped() then return { 'wiped' } end
local now, request = clock(), ARGV[4]
if redis.call('EXISTS', KEYS[4]) == 1 then return { 'known' } end
if redis.call('ZRANGEBYLEX', KEYS[6], '[' .. request .. ' 1', '(' .. request .. ' 3', 'LIMIT', 0, 1)[1] then
  return { 'ended' }
end

local counters, hold = readCounters(KEYS[2], KEYS[3], KEYS[7]), readHold(ARGV[7])
local admitted, windows = string.match(ARGV[9], '^(%d+)(.*)$')
recount(counters, tonumber(admitted), windows, now)
if hold.second >= counters.oldest then addToBucket(counters, hold.second, 0, hold.tokens) end
counters.concurrent = counters.concurrent + 1
counters.held = counters.held + hold.spentCost + hold.cost
local taken = rules and rules.read(cjson.decode(ARGV[10]), now)

-- The lease is the first change, behind all that is read.
redis.call('ZADD', KEYS[5], digits(now + tonumber(ARGV[3])), request)
writeCounters(KEYS[2], KEYS[3], counters)

redis.call('HSET', KEYS[4], 'state', 'open', 'account', ARGV[5], 'window', ARGV[6], 'hold', ARGV[7], 'readings', '',
  'checkpoint', ARGV[8])
if taken then
  rules.adopt(taken, ARGV[12])
  redis.call('HSET', KEYS[4], 'rules', ARGV[10], 'cells', ARGV[11], 'weight', ARGV[12])
end
return { 'adopted' }
