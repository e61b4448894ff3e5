-- Another round of a running request: more tokens and spend, or nothing.
-- KEYS 2 counters  3 spend of the window of admission  4 hold  5 leases  6 what guests share, without the day
--      7 ring of the minute
-- ARGV 3 lease  4 request  5 round  6 tokens spent  7 cost spent  8 checkpoint  9 claims
if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[4], 'state', 'hold', 'shared')
if kept[1] ~= 'open' then return { 'ended' } end
local hold = readHold(kept[2])
if hold.round >= tonumber(ARGV[5]) then return { 'extended', kept[2] } end

local spentTokens, spentCost = tonumber(ARGV[6]), tonumber(ARGV[7])
local counters = readCounters(KEYS[2], KEYS[3], KEYS[7])
local concurrent = counters.concurrent
release(counters, hold, spentTokens, spentCost, now)
local claims = readClaims(ARGV[9])
local readings = readingsOf(counters, claims, now)
local denial, granted = judge(claims, counters, readings, now)
if denial then return refused(denial, counters, readings, now) end

addToBucket(counters, readings.second, 0, granted.tokens)
counters.concurrent = concurrent
counters.used = counters.used - spentCost
counters.held = counters.held + spentCost + granted.cost
writeCounters(KEYS[2], KEYS[3], counters)

local extended = holdText(granted, readings.second, hold.at, hold.round + 1, spentTokens, spentCost)
redis.call('HSET', KEYS[4], 'hold', extended, 'checkpoint', ARGV[8])
redis.call('ZADD', KEYS[5], digits(now + tonumber(ARGV[3])), ARGV[4])
weighShared(KEYS[6], KEYS[4], kept[3], spentCost + granted.cost)
return { 'extended', extended }
