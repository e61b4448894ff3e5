-- Admits another round of a request: reserves more of limits that accounts share, or nothing. The lease stays unchanged: the
-- account may refuse the round, and both leases end together.
-- ARGV 3 round  4 tokens spent  5 cost spent  6 claims  7 the counters and limits of the claims, as rules.lua reads
--      them  8 all counters that it took of, and its cells  9 prompt tokens spent
if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[2], 'state', 'hold', 'shared', 'weight', 'cells', 'resumed')
if kept[1] ~= 'open' or kept[6] then return { 'ended' } end
local hold, weight, cells = readHold(kept[2]), kept[4] or '', kept[5] or ''
if hold.round >= tonumber(ARGV[3]) then return { 'extended', kept[2], cells } end

local spentTokens, spentCost = tonumber(ARGV[4]), tonumber(ARGV[5])
local claims = readClaims(ARGV[6])
local spent = { tokens = spentTokens, cost = spentCost, input = tonumber(ARGV[9]) }
local taken, looked
if ARGV[8] ~= '' then
  taken, looked = rules.readTaken(ARGV[8], hold, KEYS[2], now), rules.read(cjson.decode(ARGV[7]), now)
  rules.lookAgain(looked, taken, weight, spent)
end
local denial, granted = judge(claims, NOBODY, noReadings(now), now, looked)
if denial then return sharedRefusal(denial, now, looked) end

local extended = holdText(changedHold(hold, grantedHold(granted, { second = math.floor(now / 1000), round = hold.round + 1,
  spentTokens = spentTokens, spentCost = spentCost })))
local weigh = weighingShared(KEYS[4], KEYS[2], kept[3], spentCost + granted.cost)
redis.call('HSET', KEYS[2], 'hold', extended)
if weight ~= '' then
  weight, cells = rules.extend(taken, weight, spent, claims, granted)
  redis.call('HSET', KEYS[2], 'weight', weight, 'cells', cells)
end
weigh()
return { 'extended', extended, cells }
