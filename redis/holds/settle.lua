-- Ends a hold once per request: settled, refunded, or swept up as an orphan; and handles a late settlement after that.
-- KEYS 2 counters  3 spend of the window of admission  4 hold  5 leases  6 ledger  7 totals of the day of admission
--      8 what guests share, without the day  9 ring of the minute
-- ARGV 3 request  4 settle|refund|orphan  5 tokens  6 its sums  7 `account plan model`, or the account alone
--      8 the rest of the row, '' for none  9 the bucket the caller believes it was counted in, and where this server may
--      lack the admission, its second and its calendar windows
--      10 whose totals it counts in: `account plan model`, and the key where there is one
-- Where rules count the request there is more behind these: as KEYS the groups of their counters, as ARGV 11 the counters
-- and its cells, as rules.lua reads them  12 images and seconds
-- Where notices are about its limits, ARGV 13 has those, as notices/announce.lua reads them; 11 and 12 are '' without rules.
local ENDED_KEPT_MS = 300000
local ORPHAN_KEPT_MS = 3600000

if wiped() then return { 'wiped' } end
local now = clock()
local request, how = ARGV[3], ARGV[4]
local sums = readSums(ARGV[6])
local charge = { tokens = number(ARGV[5]), cost = sums.cost, input = sums.inputTokens }
local who, rest, total, totals = ARGV[7], ARGV[8], ARGV[10], KEYS[7]

-- The totals of the day that a row names, such as `2026-11-01`. A refund knows the day of UTC alone.
local function totalsOf(text)
  if type(text) ~= 'string' then return KEYS[7] end
  local year, month, day = string.match(text, '^(%d+)-(%d+)-(%d+)$')
  month = (month + 9) % 12
  year = year - math.floor(month / 10)
  local number = 365 * year + math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
    + math.floor((month * 306 + 5) / 10) + day - 1 - 719468
  return (string.gsub(KEYS[7], '%d+$', digits(number)))
end

-- Calls of hosted tools and their cost, by name; empty for a row without costs of tools.
local function toolsIn(others)
  local calls, costs = others[TOOLS], others[TOOL_COSTS]
  if type(calls) ~= 'table' or type(costs) ~= 'table' then return {}, {} end
  return calls, costs
end

-- Quantities by kind and unit price; the names include the price.
local function chargesIn(others)
  local charges = others[CHARGES]
  return type(charges) == 'table' and charges or {}
end

-- The totals of tools with calls and charges added, less those that were counted before: a text for each field that changes.
local function toolTotals(key, total, text, before)
  local texts = {}
  local calls, costs, was, paid, charges, charged = {}, {}, {}, {}, {}, {}
  if text ~= '' and string.find(text, '{', 1, true) then
    local others = cjson.decode(text)
    calls, costs = toolsIn(others)
    charges = chargesIn(others)
  end
  if before then
    was, paid = toolsIn(before)
    charged = chargesIn(before)
  end
  for name, quantity in pairs(charges) do addTool(texts, key, total .. ' ' .. name, quantity - number(charged[name]), 0) end
  for name, quantity in pairs(charged) do
    if not charges[name] then addTool(texts, key, total .. ' ' .. name, -quantity, 0) end
  end
  for tool, count in pairs(calls) do
    addTool(texts, key, total .. ' ' .. tool, count - number(was[tool]), number(costs[tool]) - number(paid[tool]))
  end
  for tool, count in pairs(was) do
    if not calls[tool] then addTool(texts, key, total .. ' ' .. tool, -count, -number(paid[tool])) end
  end
  return texts
end

-- Answers a repetition with the row of the first call, whose answer may have been lost.
local function repeated()
  local rows = redis.call('ZRANGEBYLEX', KEYS[6], '[' .. request .. ' 1', '(' .. request .. ' 3')
  return { 'repeated', rows[#rows] or '', #rows > 1 and '0' or '1' }
end

local kept = redis.call('HMGET', KEYS[4], 'state', 'hold', 'shared', 'resumed')
local state = kept[1]
if state == 'ended' then return repeated() end
if state ~= 'open' and how == 'orphan' then return { 'ended' } end
-- The gateway renewed the lease after the sweeper looked.
local lease = redis.call('ZSCORE', KEYS[5], request)
if how == 'orphan' and lease and tonumber(lease) > now then return { 'renewed' } end

-- The earlier charge of a request whose hold is gone, or that ran on after its lease expired.
local row, isOver
if state ~= 'open' or kept[4] then row, isOver = orphanRow(KEYS[6], request) end
if isOver then return repeated() end
local was = row or { tokens = 0, cost = 0, input = 0, sums = readSums('') }
local late = row ~= nil or state == 'orphan'
if row and how == 'refund' then
  local key = row.others[KEY]
  who, rest, total = row.whose, row.rest, type(key) == 'string' and row.whose .. ' ' .. key or row.whose
  totals = totalsOf(row.others[DAY])
elseif row and how == 'orphan' then
  -- Its gateway is gone now, so the cost in its row is final.
  charge, rest = { tokens = was.tokens, cost = was.cost, input = was.input }, ''
end
-- For so long the end of a refund, and an orphan without a row, are known by their holds alone.
local admitted, windows = string.match(ARGV[9], '^%d+ (%d+)(.*)$')
local isLost = admitted and not state and not row
  and now - tonumber(admitted) * 1000 < (how == 'settle' and ORPHAN_KEPT_MS or ENDED_KEPT_MS)
if state ~= 'open' and how == 'refund' and not late and not isLost then return { 'ended' } end

local counters = readCounters(KEYS[2], KEYS[3], KEYS[9])
if state == 'open' then
  release(counters, readHold(kept[2]), charge.tokens, charge.cost, now, row)
else
  if isLost then recount(counters, tonumber(admitted), windows, now) end
  local hold = kept[2] and readHold(kept[2]) or { second = tonumber(string.match(ARGV[9], '^%d+')), spentTokens = 0 }
  correctTokens(counters, hold.second, presentOf(hold, charge.tokens) - presentOf(hold, was.tokens), now)
  counters.used = counters.used + charge.cost - was.cost
end
local taken
-- A refund after a sweep that charged nothing has nothing to correct.
if rules and (state == 'open' or row or isLost or how ~= 'refund') then
  taken = rules.readTaken(ARGV[11], kept[2] and readHold(kept[2]), KEYS[4], now)
end
local pieces
if taken then
  local own = redis.call('HMGET', KEYS[4], 'weight', 'pieces')
  pieces = row and how == 'orphan' and (own[2] or '') or ARGV[12]
  charge.images, charge.seconds = rules.pieces(pieces)
  charge.requests = isLost and 1 or 0
  was.images, was.seconds = rules.pieces(row and own[2] or '')
  rules.settle(taken, state == 'open' and own[1], charge, was, not row and how == 'settle')
end
local announceAll = announcing(ARGV[13], function(counter, cell)
  if counter == 'spend' then return KEYS[3], counters.used end
  if counter == 'day' then return KEYS[2], requestsIn(counters, 1, cell) end
  return countedByRule(taken, counter, cell)
end, now)
local weigh = weighingShared(KEYS[8], KEYS[4], kept[3], charge.cost)

-- The row is the first change, behind all that is read: a broken record fails the call before it has any effect.
local written, tools, addTotals = '', {}, function() end
if how == 'settle' or rest ~= '' then
  local kind, place = how, 1
  if late then kind, place = 'late', 2 end
  local added = addSums(sums, was.sums, -1)
  added.requests = row and 0 or 1
  written = string.format('%s %d %s %d %d %d %d %d %s %s', request, place, kind, added.cost, added.inputTokens,
    added.outputTokens, charge.tokens - was.tokens, now, who, rest)
  addTotals = addingToTotals(totals, total, added)
  tools = toolTotals(totals .. ':tools', total, how == 'refund' and '' or rest, row and row.others)
  redis.call('ZADD', KEYS[6], '0', written)
end
addTotals()
for field, text in pairs(tools) do redis.call('HSET', totals .. ':tools', field, text) end
writeCounters(KEYS[2], KEYS[3], counters)

if taken then
  rules.write(taken)
  -- A late settlement after an orphan is counted in the same cells.
  if how == 'orphan' then
    redis.call('HSET', KEYS[4], 'weight', '', 'pieces', pieces)
  else
    redis.call('HSET', KEYS[4], 'rules', '', 'cells', '', 'pieces', '')
  end
end

announceAll()
weigh()

if state == 'open' and row then
  redis.call('HSET', KEYS[4], 'hold', kept[4])
  redis.call('HDEL', KEYS[4], 'resumed')
end
redis.call('ZREM', KEYS[5], request)
redis.call('HSET', KEYS[4], 'state', how == 'orphan' and 'orphan' or 'ended', 'checkpoint', '')
-- The hold of an admission that this server lacked says whose it is, as all others do.
if isLost then redis.call('HSET', KEYS[4], 'account', string.match(ARGV[7], '^%S+') or '') end
redis.call('PEXPIRE', KEYS[4], how == 'orphan' and ORPHAN_KEPT_MS or ENDED_KEPT_MS)
-- Returns what it wrote, and by how much the number of requests grew.
return { 'settled', written, row and '0' or '1' }
