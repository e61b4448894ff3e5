-- A request holds less of limits that accounts share than it took: its account granted it less output, or no further round.
-- It counts in the cells that its gateway knows, so that a round which its account refuses leaves it where it was.
-- ARGV 3 request  4 claims  5 output  6 tokens spent  7 cost spent  8 prompt tokens spent  9 all counters that it took of,
--      and its cells, as rules.lua reads them, '' for none  10 round
if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[2], 'state', 'hold', 'shared', 'weight')
if kept[1] ~= 'open' then return { 'ended' } end
local claims, hold, output = readClaims(ARGV[4]), readHold(kept[2]), tonumber(ARGV[5])
local total = output * claims.choices
local granted = { output = output, tokens = claims.input + total, cost = costOf(claims, claims.input, total) }
local spent = { tokens = tonumber(ARGV[6]), cost = tonumber(ARGV[7]), input = tonumber(ARGV[8]) }
local weighed = changedHold(hold, grantedHold(granted, { round = tonumber(ARGV[10]), spentTokens = spent.tokens,
  spentCost = spent.cost }))
local taken = ARGV[9] ~= '' and rules.readTaken(ARGV[9], hold, KEYS[2], now)
local weigh = weighingShared(KEYS[4], KEYS[2], kept[3], spent.cost + granted.cost)

redis.call('HSET', KEYS[2], 'hold', holdText(weighed))
if taken then
  local cellsOfHold = cjson.decode(ARGV[9])[3]
  local weight, cells = rules.extend(taken, kept[4], spent, claims, granted, cellsOfHold)
  redis.call('HSET', KEYS[2], 'weight', weight, 'cells', cells)
end
weigh()
return { 'weighed' }
