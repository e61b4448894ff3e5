-- The counters of an account and the hold of a request: src/policy/counters/account-counters.ts in Lua, proven equal by
-- test/adapters/store/redis/redis-scripts.properties.test.ts.
local STEP_BACK_SECONDS = 120
local COUNTERS_KEPT_S = 3 * 86400
local SHARED_KEPT_S = 100 * 86400
local RING_KEPT_S = 600

-- The spend and holds of all guests in one UTC day.
local function sharedOf(prefix, day) return number(redis.call('GET', prefix .. digits(day))) end

-- Adds to what all guests spend and hold in a day, which was `before`, for a request that weighs `cost` from now on.
local function addShared(prefix, holdKey, day, before, amount, cost)
  redis.call('SET', prefix .. digits(day), digits(math.max(0, before + amount)), 'EX', SHARED_KEPT_S)
  redis.call('HSET', holdKey, 'shared', shareText({ day = day, cost = cost }))
end

-- Reads what guests share, and returns the function that sets the weight of a guest's request to `cost`, in the day that it was
-- counted in: a broken record fails a call before it changes anything.
local function weighingShared(prefix, holdKey, shared, cost)
  if not shared then return function() end end
  local share = readShare(shared)
  local before = sharedOf(prefix, share.day)
  return function() addShared(prefix, holdKey, share.day, before, cost - share.cost, cost) end
end

-- A hold of the granted amounts, with the members of `more`.
local function grantedHold(granted, more)
  more.output, more.tokens, more.cost = granted.output, granted.tokens, granted.cost
  return more
end

-- The hold with some numbers replaced.
local function changedHold(hold, changes)
  local changed = {}
  for name, value in pairs(hold) do changed[name] = value end
  for name, value in pairs(changes) do changed[name] = value end
  return changed
end

-- The minute has a bucket of fixed width for each second. That of the newest second lies beside `counts`, which has the oldest
-- second that counts, the sums of all that count, the first calendar window and its requests, and how many run. `calendar` has
-- the other windows. All other buckets lie in a ring of 61, each where the rest of its second by 61 says. So a request mostly
-- touches one bucket, and once a second those that became too old.
local function placeOf(second) return second % SECONDS * WIDTH end

local function ringOf(s) return s.isAnew and '' or redis.call('GETRANGE', s.ring, '0', '-1') end

-- Requests of a calendar window, by its index. The first is in `counts`; the others are pairs of a window and its requests.
local function requestsIn(s, place, window)
  if place == 1 then return s.window == window and s.requests or 0 end
  local at = 1
  for other, requests in string.gmatch(s.others, '(%d+) (%d+)') do
    at = at + 1
    if at == place then return tonumber(other) == window and tonumber(requests) or 0 end
  end
  return 0
end

local function readCounters(countersKey, spendKey, ringKey)
  local kept = redis.call('HMGET', countersKey, 'head', 'counts', 'calendar')
  local spend = redis.call('HMGET', spendKey, 'used', 'held')
  local head = kept[1] or ''
  local newest = secondAt(head, 0) or 0
  local counts = readCounts(kept[2] or '')
  return {
    ring = ringKey, changed = {}, head = head, newest = newest, wasNewest = newest, oldest = counts.oldest or 0,
    sumRequests = counts.sumRequests or 0, sumTokens = counts.sumTokens or 0,
    window = counts.window or 0, requests = counts.requests or 0, others = kept[3] or '', wasOthers = kept[3] or '',
    concurrent = counts.concurrent or 0, wasWindow = counts.window,
    used = number(spend[1]), held = number(spend[2]), isNew = not spend[1],
  }
end

-- The bucket of a second that counts; nil where it has none.
local function recordOf(s, second)
  if s.changed[second] then return s.changed[second] end
  if second == s.newest then return s.head end
  if s.isAnew or second < s.oldest then return nil end
  local at = placeOf(second)
  local found = redis.call('GETRANGE', s.ring, digits(at), digits(at + WIDTH - 1))
  return secondAt(found, 0) == second and found or nil
end

local function writeCounters(countersKey, spendKey, s)
  if s.isAnew then redis.call('DEL', s.ring) end
  for second, text in pairs(s.changed) do
    if second ~= s.newest then redis.call('SETRANGE', s.ring, digits(placeOf(second)), text) end
  end
  if s.newest ~= s.wasNewest then redis.call('EXPIRE', s.ring, RING_KEPT_S) end
  redis.call('HSET', countersKey, 'head', s.changed[s.newest] or s.head, 'counts', countsText(s))
  redis.call('HSET', spendKey, 'used', digits(s.used), 'held', digits(s.held))
  if s.others ~= s.wasOthers then redis.call('HSET', countersKey, 'calendar', s.others) end
  if s.window ~= s.wasWindow then redis.call('EXPIRE', countersKey, COUNTERS_KEPT_S) end
end

-- Moves to the current second, and subtracts what no longer counts from the sums.
local function roll(s, now)
  local clock = math.floor(now / 1000)
  local second = math.max(clock, s.newest)
  -- All records are too old, or the clock went back too far.
  if s.newest < clock - 60 or s.newest - clock > STEP_BACK_SECONDS then
    s.isAnew, s.changed, s.head = true, {}, ''
    s.newest, s.oldest, s.sumRequests, s.sumTokens = 0, clock - 60, 0, 0
    return clock
  end
  if s.oldest < second - 60 then
    local ring = ringOf(s)
    for old = s.oldest, second - 61 do
      local at = placeOf(old)
      if secondAt(ring, at) == old then
        s.sumRequests = s.sumRequests - requestsAt(ring, at)
        s.sumTokens = s.sumTokens - tokensAt(ring, at)
      end
    end
    s.oldest = second - 60
  end
  return second
end

local function addToBucket(s, second, requests, tokens)
  local found = recordOf(s, second)
  local before = found and tokensAt(found, 0) or 0
  -- A record holds at most this many; no limit is as high.
  local after = math.min(before + tokens, TOKENS_MAX)
  s.sumRequests = s.sumRequests + requests
  s.sumTokens = s.sumTokens + after - before
  s.changed[second] = bucketText(second, (found and requestsAt(found, 0) or 0) + requests, after)
  if second <= s.newest then return end
  -- The previous newest record moves into the ring.
  if s.newest > 0 then s.changed[s.newest] = recordOf(s, s.newest) end
  s.newest = second
end

-- The records of the minute that count, as one text, oldest first.
local function minuteText(s)
  local ring, records = ringOf(s), {}
  for second = s.oldest, s.newest do
    local at = placeOf(second)
    if s.changed[second] or second == s.newest then
      records[#records + 1] = recordOf(s, second)
    elseif secondAt(ring, at) == second then
      records[#records + 1] = string.sub(ring, at + 1, at + WIDTH)
    end
  end
  return table.concat(records)
end

local function correctTokens(s, counted, excess, now)
  if excess == 0 then return end
  local second = roll(s, now)
  if recordOf(s, counted) then
    addToBucket(s, counted, 0, excess)
  elseif excess > 0 then
    addToBucket(s, second, 0, excess)
  end
end

-- Counts a request again that a lost server had counted: in its second and in its calendar windows.
local function recount(s, second, windows, now)
  roll(s, now)
  if second >= s.oldest then addToBucket(s, second, 1, 0) end
  local pairsOf, place = {}, 0
  for window, requests in string.gmatch(s.others, '(%d+) (%d+)') do
    pairsOf[#pairsOf + 1] = { tonumber(window), tonumber(requests) }
  end
  for text in string.gmatch(windows, '%d+') do
    local window = tonumber(text)
    if place == 0 then
      if window > s.window then s.window, s.requests = window, 0 end
      if window == s.window then s.requests = s.requests + 1 end
    else
      local other = pairsOf[place] or { 0, 0 }
      if window > other[1] then other = { window, 0 } end
      if window == other[1] then other[2] = other[2] + 1 end
      pairsOf[place] = other
    end
    place = place + 1
  end
  for i = 1, #pairsOf do pairsOf[i] = string.format('%d %d', pairsOf[i][1], pairsOf[i][2]) end
  s.others = table.concat(pairsOf, ' ')
end

-- The weight of the present round. Earlier rounds are in buckets of their own, and stay there.
local function presentOf(hold, tokens) return math.max(0, tokens - hold.spentTokens) end

-- `was` is the earlier charge of a resumed request.
local function release(s, hold, tokens, cost, now, was)
  local before = was and presentOf(hold, was.tokens) or 0
  correctTokens(s, hold.second, presentOf(hold, tokens) - before - hold.tokens, now)
  s.concurrent = math.max(0, s.concurrent - 1)
  s.used = s.used + cost - (was and was.cost or 0)
  s.held = s.held - hold.spentCost - hold.cost
end

-- The hold of a request that was charged as an orphan and still runs, as text and as numbers.
local function withoutCharge(hold, was)
  local left = changedHold(hold, { tokens = math.max(0, hold.tokens - presentOf(hold, was.tokens)),
    cost = math.max(0, hold.spentCost + hold.cost - was.cost), spentCost = 0 })
  return holdText(left), left
end
