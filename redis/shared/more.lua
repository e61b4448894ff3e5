-- Another round of a request: more of limits that accounts share, or nothing.
-- ARGV 3 lease  4 request  5 round  6 tokens spent  7 cost spent  8 claims  9 the counters and limits of the
--      claims, as rules.lua reads them  10 all counters that it took of, and its cells  11 prompt tokens spent
if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[2], 'state', 'hold', 'shared', 'weight', 'cells')
if kept[1] ~= 'open' then return { 'ended' } end
local hold, weight, cells = readHold(kept[2]), kept[4] or '', kept[5] or ''
if hold.round >= tonumber(ARGV[5]) then return { 'extended', kept[2], cells } end

local spentTokens, spentCost = tonumber(ARGV[6]), tonumber(ARGV[7])
local claims = readClaims(ARGV[8])
local spent = { tokens = spentTokens, cost = spentCost, input = tonumber(ARGV[11]) }
local taken, looked
if ARGV[10] ~= '' then
  taken, looked = rules.readTaken(ARGV[10], hold, KEYS[2], now), rules.read(cjson.decode(ARGV[9]), now)
  rules.lookAgain(looked, taken, weight, spent)
end
local denial, granted = judge(claims, NOBODY, noReadings(now), now, looked)
if denial then return sharedRefusal(denial, now, looked) end

local extended = holdText(granted, math.floor(now / 1000), hold.at, hold.round + 1, spentTokens, spentCost)
redis.call('HSET', KEYS[2], 'hold', extended)
if weight ~= '' then
  weight, cells = rules.extend(taken, weight, spent, claims, granted)
  redis.call('HSET', KEYS[2], 'weight', weight, 'cells', cells)
end
redis.call('ZADD', KEYS[3], digits(now + tonumber(ARGV[3])), ARGV[4])
weighShared(KEYS[4], KEYS[2], kept[3], spentCost + granted.cost)
return { 'extended', extended, cells }
