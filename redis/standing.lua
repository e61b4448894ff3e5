-- What an account has used of its limits, and what a request holds: src/policy/standing.ts in Lua, proven equal by
-- test/store/redis-scripts.test.ts.
local STEP_BACK_SECONDS = 120
local SPEND_KEPT_S = 100 * 86400
local STANDING_KEPT_S = 3 * 86400

-- What all guests spent and hold in one UTC day.
local function sharedOf(prefix, day) return number(redis.call('GET', prefix .. digits(day))) end

local function addShared(prefix, day, amount)
  local after = math.max(0, sharedOf(prefix, day) + amount)
  redis.call('SET', prefix .. digits(day), digits(after), 'EX', STANDING_KEPT_S)
end

-- A request of a guest weighs `cost` from now on, in the day it took of.
local function weighShared(prefix, holdKey, shared, cost)
  if not shared then return end
  local day, taken = string.match(shared, '^(%d+) (%d+)$')
  addShared(prefix, tonumber(day), cost - tonumber(taken))
  redis.call('HSET', holdKey, 'shared', string.format('%s %d', day, cost))
end

-- A hold is `output tokens cost second at round spentTokens spentCost`.
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
  redis.call('HSET', standingKey, 'minute', s.minute, 'sumRequests', digits(s.sumRequests), 'sumTokens',
    digits(s.sumTokens), 'day', digits(s.day), 'requests', digits(s.requests), 'open', digits(s.open))
  redis.call('HSET', spendKey, 'used', digits(s.used), 'held', digits(s.held))
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

