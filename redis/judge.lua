-- What a request asks for, against what there is: src/policy/judge.ts in Lua, proven equal by
-- test/adapters/store/redis-scripts.properties.test.ts.
local DAY_MS = 86400000
local CONCURRENCY_MS = 1000
local OTHERS_END_MS = 2000
local UNBOUNDED = 9007199254740991
local CLAIMS = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$'

local function readingsOf(s, now)
  local second = roll(s, now)
  local day = s.day == math.floor(second / 86400) and s.requests or 0
  return {
    second = second,
    requests = s.sumRequests, tokens = s.sumTokens, day = day, open = s.open, used = s.used, held = s.held,
    text = string.format('%d %d %d %d %d %d', s.sumRequests, s.sumTokens, day, s.open, s.used, s.held),
  }
end

-- One text, in this order; what is not claimed is `-`.
local function readClaims(claims)
  local requests, tokens, input, day, concurrency, limit, priceInput, priceOutput, priceItem, items, want, min, choices =
    string.match(claims, CLAIMS)
  return {
    requests = tonumber(requests), tokens = tonumber(tokens), input = tonumber(input), day = tonumber(day),
    concurrency = tonumber(concurrency), limit = tonumber(limit), priceInput = tonumber(priceInput),
    priceOutput = tonumber(priceOutput), priceItem = tonumber(priceItem), items = tonumber(items),
    want = tonumber(want), min = tonumber(min), choices = tonumber(choices),
  }
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
  for at = 0, #minute - WIDTH, WIDTH do
    over = over - unitsAt(minute, at)
    if over <= 0 then return math.max(1, (secondAt(minute, at) + 61) * 1000 - now) end
  end
  return 60000
end

-- Only refusals need it.
local function minuteOf(s, r)
  r.minute = r.minute or minuteText(s)
  return r.minute
end

-- What refuses the claims and the numbers that go with it, or nil and what is granted.
local function judge(c, s, r, now)
  local leastOutput = c.min * c.choices
  local worst = costOf(c, c.input, leastOutput)
  if c.limit and r.used + worst > c.limit then
    local left = math.max(0, c.limit - r.used)
    local fits = math.floor(outputWithin(c, c.input, left) / c.choices)
    return { 'quota', digits(worst), digits(left), digits(math.max(0, fits)) }
  end
  local longest, what = 0, nil
  local function consider(name, wait)
    if wait > longest then longest, what = wait, name end
  end
  if r.requests + 1 > c.requests then
    consider('requests', waitFor(minuteOf(s, r), requestsAt, r.requests + 1 - c.requests, now))
  end
  local tokens = r.tokens + c.input + leastOutput
  if tokens > c.tokens then consider('tokens', waitFor(minuteOf(s, r), tokensAt, tokens - c.tokens, now)) end
  if c.day and r.day + 1 > c.day then
    consider('daily_limit', (math.floor(r.second / 86400) + 1) * DAY_MS - now)
  end
  if what then return { what, digits(longest) } end
  if c.concurrency and r.open + 1 > c.concurrency then return { 'concurrency', tostring(CONCURRENCY_MS) } end
  if c.limit and r.used + r.held + worst > c.limit then return { 'quota_hold', tostring(OTHERS_END_MS) } end

  local byTokens = c.tokens - r.tokens - c.input
  local bySpend = c.limit and outputWithin(c, c.input, c.limit - r.used - r.held) or UNBOUNDED
  local granted = math.min(c.want, math.floor(math.min(byTokens, bySpend) / c.choices))
  local output = granted * c.choices
  return nil, { output = granted, tokens = c.input + output, cost = costOf(c, c.input, output) }
end

local WAITS = { requests = true, tokens = true, daily_limit = true }

-- Behind the readings stands the last second that counts. With the minute where it says how long to wait.
local function refused(denial, s, r, now)
  return { 'refused', r.text .. ' ' .. digits(s.newest), digits(now), WAITS[denial[1]] and minuteOf(s, r) or '', unpack(denial) }
end
