-- Admits another round of a running request: reserves more tokens and spend, or nothing.
-- KEYS 2 counters  3 spend of the window of admission  4 hold  5 leases  6 what guests share, without the day
--      7 ring of the minute
-- ARGV 3 lease  4 request  5 round  6 tokens spent  7 cost spent  8 checkpoint  9 claims
-- If rules count the request, more follow: in KEYS the groups of their counters, in ARGV 10 the counters
-- and limits of the claims, as rules.lua reads them  11 all counters that it took of, and its cells  12 prompt tokens spent
if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[4], 'state', 'hold', 'shared', 'resumed')
if kept[1] ~= 'open' or kept[4] then return { 'ended' } end
local hold = readHold(kept[2])
local own = rules and redis.call('HMGET', KEYS[4], 'weight', 'cells') or {}
local weight, cells = own[1] or '', own[2] or ''
if hold.round >= tonumber(ARGV[5]) then return { 'extended', kept[2], weight, cells, 'again' } end

local spentTokens, spentCost = tonumber(ARGV[6]), tonumber(ARGV[7])
local counters = readCounters(KEYS[2], KEYS[3], KEYS[7])
local concurrent = counters.concurrent
release(counters, hold, spentTokens, spentCost, now)
local claims = readClaims(ARGV[9])
local readings = readingsOf(counters, claims, now)
local taken, looked, spent
if rules then
  taken, looked = rules.readTaken(ARGV[11], hold, KEYS[4], now), rules.read(cjson.decode(ARGV[10]), now)
  spent = { tokens = spentTokens, cost = spentCost, input = tonumber(ARGV[12]) }
  rules.lookAgain(looked, taken, weight, spent)
end
local denial, granted = judge(claims, counters, readings, now, looked)
if denial then return refused(denial, counters, readings, now, looked) end

addToBucket(counters, readings.second, 0, granted.tokens)
counters.concurrent = concurrent
counters.used = counters.used - spentCost
counters.held = counters.held + spentCost + granted.cost
local weigh = weighingShared(KEYS[6], KEYS[4], kept[3], spentCost + granted.cost)

-- The lease is the first change, behind all that is read.
redis.call('ZADD', KEYS[5], digits(now + tonumber(ARGV[3])), ARGV[4])
writeCounters(KEYS[2], KEYS[3], counters)

local extended = holdText(changedHold(hold, grantedHold(granted, { second = readings.second, round = hold.round + 1,
  spentTokens = spentTokens, spentCost = spentCost })))
redis.call('HSET', KEYS[4], 'hold', extended, 'checkpoint', ARGV[8])
if weight ~= '' then
  weight, cells = rules.extend(taken, weight, spent, claims, granted)
  redis.call('HSET', KEYS[4], 'weight', weight, 'cells', cells)
end
weigh()
return { 'extended', extended, weight, cells }
