-- What the scripts that judge begin with: src/policy/standing.ts and judge.ts in Lua, proven equal by
-- test/store/redis-scripts.test.ts. Milliseconds, tokens and nano-USD, all of them integers below 2^53.
-- Every script: KEYS[1] the epoch of its bucket, ARGV[1] the epoch its caller knows, ARGV[2] a time or ''.
local STEP_BACK_SECONDS = 120
local DAY_MS = 86400000
local CONCURRENCY_MS = 1000
local OTHERS_END_MS = 2000
local UNBOUNDED = 9007199254740991
local SPEND_KEPT_S = 100 * 86400
local STANDING_KEPT_S = 3 * 86400

local function number(text) return tonumber(text) or 0 end

-- Emptied, or filled by somebody else: nothing it says can be trusted.
local function wiped() return redis.call('GET', KEYS[1]) ~= ARGV[1] end

local function clock()
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  local time = redis.call('TIME')
  return number(time[1]) * 1000 + math.floor(number(time[2]) / 1000)
end

local function audit(key, at, by, action, account, before, after)
  if by ~= '' then
    redis.call('XADD', key, '*', 'at', at, 'by', by, 'action', action, 'account', account, 'before', before, 'after', after)
  end
end

-- Adds to the totals of a day: requests, tokens in, tokens out and cost of a field.
local function addToTotals(key, field, requests, input, output, cost)
  local sums = {}
  for part in string.gmatch(redis.call('HGET', key, field) or '', '%S+') do sums[#sums + 1] = tonumber(part) end
  redis.call('HSET', key, field, string.format('%d %d %d %d', (sums[1] or 0) + requests, (sums[2] or 0) + input,
    (sums[3] or 0) + output, (sums[4] or 0) + cost))
end

-- What all guests spent and hold in one UTC day.
local function sharedOf(prefix, day) return number(redis.call('GET', prefix .. string.format('%d', day))) end

local function addShared(prefix, day, amount)
  local after = math.max(0, sharedOf(prefix, day) + amount)
  redis.call('SET', prefix .. string.format('%d', day), string.format('%d', after), 'EX', STANDING_KEPT_S)
end

-- A request of a guest weighs `cost` from now on, in the day it took of.
local function weighShared(prefix, holdKey, shared, cost)
  if not shared then return end
  local day, taken = string.match(shared, '^(%d+) (%d+)$')
  addShared(prefix, tonumber(day), cost - tonumber(taken))
  redis.call('HSET', holdKey, 'shared', string.format('%s %d', day, cost))
end

-- A hold is `output tokens cost second at round spentTokens spentCost`. Numbers in texts are written by %d:
-- Lua's own way ends at 14 digits. What goes to redis.call may be a number, which Redis writes whole.
local function readHold(text)
  local output, tokens, cost, second, at, round, spentTokens, spentCost =
    string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$')
  return { output = tonumber(output), tokens = tonumber(tokens), cost = tonumber(cost), second = tonumber(second),
    at = tonumber(at), round = tonumber(round), spentTokens = tonumber(spentTokens), spentCost = tonumber(spentCost) }
end

local function holdText(granted, second, at, round, spentTokens, spentCost)
  return string.format('%d %d %d %d %d %d %d %d', granted.output, granted.tokens, granted.cost, second, at, round,
    spentTokens, spentCost)
end

-- The minute is one text, a record of fixed width per bucket, oldest first: second, requests, tokens. Beside it lie
-- the sums of both, so that an admission touches the newest record and those that have become too old.
local WIDTH = 29
local TOKENS_MAX = 999999999999
local function record(second, requests, tokens) return string.format('%010d%07d%012d', second, requests, tokens) end
local function secondAt(minute, at) return tonumber(string.sub(minute, at, at + 9)) end
local function requestsAt(minute, at) return tonumber(string.sub(minute, at + 10, at + 16)) end
local function tokensAt(minute, at) return tonumber(string.sub(minute, at + 17, at + 28)) end

local function readStanding(standingKey, spendKey)
  local s = redis.call('HMGET', standingKey, 'minute', 'sumRequests', 'sumTokens', 'day', 'requests', 'open')
  local spend = redis.call('HMGET', spendKey, 'used', 'held')
  return {
    minute = s[1] or '', sumRequests = number(s[2]), sumTokens = number(s[3]),
    day = number(s[4]), requests = number(s[5]), open = number(s[6]),
    used = number(spend[1]), held = number(spend[2]), isNew = not spend[1], wasDay = s[4] and number(s[4]),
  }
end

local function writeStanding(standingKey, spendKey, s)
  redis.call('HSET', standingKey, 'minute', s.minute, 'sumRequests', s.sumRequests, 'sumTokens', s.sumTokens,
    'day', s.day, 'requests', s.requests, 'open', s.open)
  redis.call('HSET', spendKey, 'used', s.used, 'held', s.held)
  if s.day ~= s.wasDay then redis.call('EXPIRE', standingKey, STANDING_KEPT_S) end
  if s.isNew then redis.call('EXPIRE', spendKey, SPEND_KEPT_S) end
end

-- The current second; what does not count in it is dropped.
local function roll(s, now)
  local minute = s.minute
  local newest = minute == '' and 0 or secondAt(minute, #minute - WIDTH + 1)
  local second = math.floor(now / 1000)
  if newest - second > STEP_BACK_SECONDS then
    s.minute, s.sumRequests, s.sumTokens = '', 0, 0
    return second
  end
  if newest > second then second = newest end
  local at = 1
  while at < #minute and secondAt(minute, at) < second - 60 do
    s.sumRequests = s.sumRequests - requestsAt(minute, at)
    s.sumTokens = s.sumTokens - tokensAt(minute, at)
    at = at + WIDTH
  end
  if at > 1 then s.minute = string.sub(minute, at) end
  return second
end

-- Where the record of a second begins, if there is one.
local function placeOf(minute, second)
  local last = #minute - WIDTH + 1
  if last > 0 and secondAt(minute, last) == second then return last end
  local wanted = string.format('%010d', second)
  local at = string.find(minute, wanted, 1, true)
  -- The same digits may stand elsewhere.
  while at and (at - 1) % WIDTH ~= 0 do at = string.find(minute, wanted, at + 1, true) end
  return at
end

local function addToBucket(s, second, requests, tokens)
  local minute = s.minute
  local at = placeOf(minute, second)
  local before = at and tokensAt(minute, at) or 0
  -- As many as a record holds; no limit is as high.
  local after = math.min(before + tokens, TOKENS_MAX)
  s.sumRequests = s.sumRequests + requests
  s.sumTokens = s.sumTokens + after - before
  if not at then
    s.minute = minute .. record(second, requests, after)
    return
  end
  s.minute = string.sub(minute, 1, at - 1)
    .. record(second, requestsAt(minute, at) + requests, after)
    .. string.sub(minute, at + WIDTH)
end

local function correctTokens(s, counted, excess, now)
  if excess == 0 then return end
  local second = roll(s, now)
  if placeOf(s.minute, counted) then
    addToBucket(s, counted, 0, excess)
  elseif excess > 0 then
    addToBucket(s, second, 0, excess)
  end
end

-- What the present round weighs. Those before were counted in buckets of their own, and are not taken out of this one.
local function presentOf(hold, tokens) return math.max(0, tokens - hold.spentTokens) end

local function release(s, hold, tokens, cost, now)
  correctTokens(s, hold.second, presentOf(hold, tokens) - hold.tokens, now)
  s.open = math.max(0, s.open - 1)
  s.used = s.used + cost
  s.held = s.held - hold.spentCost - hold.cost
end

local function readingsOf(s, now)
  local second = roll(s, now)
  local day = s.day == math.floor(second / 86400) and s.requests or 0
  return {
    second = second, minute = s.minute,
    requests = s.sumRequests, tokens = s.sumTokens, day = day, open = s.open, used = s.used, held = s.held,
    text = string.format('%d %d %d %d %d %d', s.sumRequests, s.sumTokens, day, s.open, s.used, s.held),
  }
end

-- Claims from ARGV[from] on; what is not claimed is ''.
local function readClaims(from)
  local c = {}
  for i, name in ipairs({ 'requests', 'tokens', 'input', 'day', 'concurrency', 'limit', 'priceInput', 'priceOutput',
    'priceItem', 'items', 'want', 'min', 'choices' }) do
    c[name] = tonumber(ARGV[from + i - 1])
  end
  return c
end

local function costOf(c, input, output)
  return c.items * c.priceItem + math.ceil((input * c.priceInput + output * c.priceOutput) / 1000)
end

local function outputWithin(c, input, budget)
  local left = budget - c.items * c.priceItem
  if c.priceOutput == 0 then
    if math.ceil(input * c.priceInput / 1000) <= left then return UNBOUNDED end
    return -1
  end
  return math.floor((math.min(left, 9e12) * 1000 - input * c.priceInput) / c.priceOutput)
end

-- Until enough of the oldest buckets have left the minute for `over` units to be free.
local function waitFor(minute, unitsAt, over, now)
  for at = 1, #minute, WIDTH do
    over = over - unitsAt(minute, at)
    if over <= 0 then return math.max(1, (secondAt(minute, at) + 61) * 1000 - now) end
  end
  return 60000
end

-- What refuses the claims and the numbers that go with it, or nil and what is granted.
local function judge(c, r, now)
  local leastOutput = c.min * c.choices
  local worst = costOf(c, c.input, leastOutput)
  if c.limit and r.used + worst > c.limit then
    local left = math.max(0, c.limit - r.used)
    local fits = math.floor(outputWithin(c, c.input, left) / c.choices)
    return { 'quota', string.format('%d', worst), string.format('%d', left), string.format('%d', math.max(0, fits)) }
  end
  local longest, what = 0, nil
  local function consider(name, wait)
    if wait > longest then longest, what = wait, name end
  end
  if r.requests + 1 > c.requests then
    consider('requests', waitFor(r.minute, requestsAt, r.requests + 1 - c.requests, now))
  end
  local tokens = r.tokens + c.input + leastOutput
  if tokens > c.tokens then consider('tokens', waitFor(r.minute, tokensAt, tokens - c.tokens, now)) end
  if c.day and r.day + 1 > c.day then
    consider('daily_limit', (math.floor(r.second / 86400) + 1) * DAY_MS - now)
  end
  if what then return { what, string.format('%d', longest) } end
  if c.concurrency and r.open + 1 > c.concurrency then return { 'concurrency', tostring(CONCURRENCY_MS) } end
  if c.limit and r.used + r.held + worst > c.limit then return { 'quota_hold', tostring(OTHERS_END_MS) } end

  local byTokens = c.tokens - r.tokens - c.input
  local bySpend = c.limit and outputWithin(c, c.input, c.limit - r.used - r.held) or UNBOUNDED
  local granted = math.min(c.want, math.floor(math.min(byTokens, bySpend) / c.choices))
  local output = granted * c.choices
  return nil, { output = granted, tokens = c.input + output, cost = costOf(c, c.input, output) }
end

local WAITS = { requests = true, tokens = true, daily_limit = true }

-- With the minute where it says how long to wait.
local function refused(denial, r, now)
  return { 'refused', r.text, string.format('%d', now), WAITS[denial[1]] and r.minute or '', unpack(denial) }
end
