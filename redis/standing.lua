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
-- Lua writes 1e15 as 1e+15, and Redis cuts numbers in replies.
local function int(value) return string.format('%.0f', value) end

-- Emptied, or filled by somebody else: nothing it says can be trusted.
local function wiped() return redis.call('GET', KEYS[1]) ~= ARGV[1] end

local function clock()
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  local time = redis.call('TIME')
  return number(time[1]) * 1000 + math.floor(number(time[2]) / 1000)
end

local function numbers(text)
  local list = {}
  for part in string.gmatch(text, '%S+') do list[#list + 1] = tonumber(part) end
  return list
end

local function readHold(text)
  local n = numbers(text)
  return { output = n[1], tokens = n[2], cost = n[3], second = n[4], at = n[5], round = n[6],
    spentTokens = n[7], spentCost = n[8] }
end

local function holdText(h)
  return table.concat({ int(h.output), int(h.tokens), int(h.cost), int(h.second), int(h.at), int(h.round),
    int(h.spentTokens), int(h.spentCost) }, ' ')
end

-- minute: second, requests, tokens of each bucket in a row, oldest first.
local function readStanding(standingKey, spendKey)
  local s = redis.call('HMGET', standingKey, 'minute', 'day', 'requests', 'open')
  local spend = redis.call('HMGET', spendKey, 'used', 'held')
  return {
    minute = s[1] and cmsgpack.unpack(s[1]) or {},
    day = number(s[2]), requests = number(s[3]), open = number(s[4]),
    used = number(spend[1]), held = number(spend[2]),
  }
end

local function writeStanding(standingKey, spendKey, s)
  redis.call('HSET', standingKey, 'minute', cmsgpack.pack(s.minute), 'day', int(s.day), 'requests', int(s.requests),
    'open', int(s.open))
  redis.call('EXPIRE', standingKey, STANDING_KEPT_S)
  redis.call('HSET', spendKey, 'used', int(s.used), 'held', int(s.held))
  redis.call('EXPIRE', spendKey, SPEND_KEPT_S)
end

-- The current second and the buckets that count in it.
local function liveMinute(minute, now)
  local newest = minute[#minute - 2] or 0
  local second = math.floor(now / 1000)
  if newest - second > STEP_BACK_SECONDS then return second, {} end
  if newest > second then second = newest end
  local live = {}
  for i = 1, #minute, 3 do
    if minute[i] >= second - 60 then
      local n = #live
      live[n + 1], live[n + 2], live[n + 3] = minute[i], minute[i + 1], minute[i + 2]
    end
  end
  return second, live
end

local function addToBucket(minute, second, requests, tokens)
  for i = 1, #minute, 3 do
    if minute[i] == second then
      minute[i + 1] = minute[i + 1] + requests
      minute[i + 2] = minute[i + 2] + tokens
      return minute
    end
  end
  local n = #minute
  minute[n + 1], minute[n + 2], minute[n + 3] = second, requests, tokens
  return minute
end

local function correctTokens(minute, counted, excess, now)
  if excess == 0 then return minute end
  local second, live = liveMinute(minute, now)
  for i = 1, #live, 3 do
    if live[i] == counted then return addToBucket(live, counted, 0, excess) end
  end
  if excess > 0 then return addToBucket(live, second, 0, excess) end
  return live
end

local function release(s, hold, tokens, cost, now)
  s.minute = correctTokens(s.minute, hold.second, tokens - hold.spentTokens - hold.tokens, now)
  s.open = math.max(0, s.open - 1)
  s.used = s.used + cost
  s.held = s.held - hold.spentCost - hold.cost
end

local function readingsOf(s, now)
  local second, live = liveMinute(s.minute, now)
  local r = { requests = 0, tokens = 0, day = 0, open = s.open, used = s.used, held = s.held, second = second,
    live = live }
  for i = 1, #live, 3 do
    r.requests = r.requests + live[i + 1]
    r.tokens = r.tokens + live[i + 2]
  end
  if s.day == math.floor(second / 86400) then r.day = s.requests end
  return r
end

local function readingsText(r)
  return table.concat({ int(r.requests), int(r.tokens), int(r.day), int(r.open), int(r.used), int(r.held) }, ' ')
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

-- Until enough of the oldest buckets have left the minute for `over` units to be free; `unit` is their offset.
local function waitFor(live, unit, over, now)
  for i = 1, #live, 3 do
    over = over - live[i + unit]
    if over <= 0 then return math.max(1, (live[i] + 61) * 1000 - now) end
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
    return { 'quota', int(worst), int(left), int(math.max(0, fits)) }
  end
  local longest, what = 0, nil
  local function consider(name, wait)
    if wait > longest then longest, what = wait, name end
  end
  if r.requests + 1 > c.requests then consider('requests', waitFor(r.live, 1, r.requests + 1 - c.requests, now)) end
  local tokens = r.tokens + c.input + leastOutput
  if tokens > c.tokens then consider('tokens', waitFor(r.live, 2, tokens - c.tokens, now)) end
  if c.day and r.day + 1 > c.day then
    consider('daily_limit', (math.floor(r.second / 86400) + 1) * DAY_MS - now)
  end
  if what then return { what, int(longest) } end
  if c.concurrency and r.open + 1 > c.concurrency then return { 'concurrency', int(CONCURRENCY_MS) } end
  if c.limit and r.used + r.held + worst > c.limit then return { 'quota_hold', int(OTHERS_END_MS) } end

  local byTokens = c.tokens - r.tokens - c.input
  local bySpend = c.limit and outputWithin(c, c.input, c.limit - r.used - r.held) or UNBOUNDED
  local granted = math.min(c.want, math.floor(math.min(byTokens, bySpend) / c.choices))
  local output = granted * c.choices
  return nil, { output = granted, tokens = c.input + output, cost = costOf(c, c.input, output) }
end

local function refused(denial, r)
  return { 'refused', readingsText(r), unpack(denial) }
end
