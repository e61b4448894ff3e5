-- Judges the claims of a request against the counters: src/policy/counters/judge.ts in Lua, proven equal by
-- test/adapters/store/redis/redis-scripts.properties.test.ts.
local DAY_MS = 86400000
local UNBOUNDED = 9007199254740991
local CLAIMS = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)(.*)$'

-- The text follows the order of src/policy/limits/readings.ts.
local function readingsOf(s, c, now)
  local second = roll(s, now)
  local calendar = {}
  for i = 1, #c.calendar do calendar[i] = requestsIn(s, i, math.floor(second / c.calendar[i].seconds)) end
  local text =
    string.format('%d %d %d %d %d %d', s.sumRequests, s.sumTokens, calendar[1], s.concurrent, s.used, s.held)
  for i = 2, #calendar do text = text .. ' ' .. digits(calendar[i]) end
  return {
    second = second, requests = s.sumRequests, tokens = s.sumTokens, calendar = calendar, concurrent = s.concurrent,
    used = s.used, held = s.held, text = text,
  }
end

-- The claims in one text, in this order, with `-` for a missing claim. The seconds and the limit of each calendar window come
-- last.
local function readClaims(claims)
  local requests, tokens, input, concurrent, limit, priceInput, priceOutput, priceItem, items, want, min, choices, rest =
    string.match(claims, CLAIMS)
  local calendar = {}
  for seconds, most in string.gmatch(rest, '(%d+) (%S+)') do
    calendar[#calendar + 1] = { seconds = tonumber(seconds), most = tonumber(most) }
  end
  return {
    requests = tonumber(requests), tokens = tonumber(tokens), input = tonumber(input),
    concurrent = tonumber(concurrent), limit = tonumber(limit), priceInput = tonumber(priceInput),
    priceOutput = tonumber(priceOutput), priceItem = tonumber(priceItem), items = tonumber(items),
    want = tonumber(want), min = tonumber(min), choices = tonumber(choices), calendar = calendar,
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

-- How long until enough of the oldest buckets have left the minute to free `over` units, or all of them have.
local function waitFor(minute, unitsAt, over, second, now)
  for at = 0, #minute - WIDTH, WIDTH do
    over = over - unitsAt(minute, at)
    if over <= 0 then return math.max(1, (secondAt(minute, at) + 61) * 1000 - now) end
  end
  return math.max(1, (second + 61) * 1000 - now)
end

-- Only refusals need the minute.
local function minuteOf(s, r)
  r.minute = r.minute or minuteText(s)
  return r.minute
end

-- Returns the refusing limit with its numbers, or nil with the granted amounts. A calendar limit is named by its index, after
-- its wait, and so is a rule by its index among those that were read.
local function judge(c, s, r, now, looked)
  if looked then c = rules.turns(looked, c, costOf) end
  local leastOutput = c.min * c.choices
  local worst = costOf(c, c.input, leastOutput)
  if c.limit and r.used + worst > c.limit then
    local left = math.max(0, c.limit - r.used)
    local fits = math.floor(outputWithin(c, c.input, left) / c.choices)
    return { 'quota', digits(worst), digits(left), digits(math.max(0, fits)) }
  end
  local longest, what, place = 0, nil, 0
  local function consider(name, wait, at)
    if wait > longest then longest, what, place = wait, name, at end
  end
  if c.requests and r.requests + 1 > c.requests then
    consider('requests', waitFor(minuteOf(s, r), requestsAt, r.requests + 1 - c.requests, r.second, now))
  end
  local tokens = r.tokens + c.input + leastOutput
  if c.tokens and tokens > c.tokens then
    consider('tokens', waitFor(minuteOf(s, r), tokensAt, tokens - c.tokens, r.second, now))
  end
  for i = 1, #c.calendar do
    local claim = c.calendar[i]
    if claim.most and r.calendar[i] + 1 > claim.most then
      consider('calendar', (math.floor(r.second / claim.seconds) + 1) * claim.seconds * 1000 - now, i)
    end
  end
  local heldPlace = looked and rules.judge(looked, c, leastOutput, worst, consider)
  if what then return { what, digits(longest), digits(place or 0) } end
  if c.concurrent and r.concurrent + 1 > c.concurrent then return { 'concurrency' } end
  if heldPlace then return { 'rule-held', '0', digits(heldPlace) } end
  if c.limit and r.used + r.held + worst > c.limit then return { 'quota_hold' } end

  local byTokens = c.tokens and c.tokens - r.tokens - c.input or UNBOUNDED
  local bySpend = c.limit and outputWithin(c, c.input, c.limit - r.used - r.held) or UNBOUNDED
  if looked then byTokens, bySpend = rules.grant(looked, c, byTokens, bySpend, outputWithin) end
  local granted = math.min(c.want, math.floor(math.min(byTokens, bySpend) / c.choices))
  local output = granted * c.choices
  return nil, { output = granted, tokens = c.input + output, cost = costOf(c, c.input, output) }
end

local WAITS = { requests = true, tokens = true, calendar = true, rule = true }

-- Builds a refusal. The last second that counts follows the readings, then the minute and the cells of rules if the wait
-- depends on them.
local function refused(denial, s, r, now, looked)
  local minute, rulesText = '', looked and rules.sums(looked) or ''
  if WAITS[denial[1]] then
    minute = minuteOf(s, r)
    rulesText = looked and rules.cells(looked) or ''
  end
  return { 'refused', r.text .. ' ' .. digits(s.newest), digits(now), minute, rulesText, unpack(denial) }
end
