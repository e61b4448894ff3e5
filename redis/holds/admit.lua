-- Admits a request: takes all of its claims, or none. src/gateway/store/hold-store.ts has the contract.
-- KEYS 2 key, or the account again for a sign-in  3 account  4 counters  5 spend of the window  6 hold  7 leases
--      8 what guests share, without the day: in the bucket of guests; in a cluster in that of the account, and shared/take.lua
--      takes what all guests share  9 ring of the minute
--      10 org of the account, only on a single server and only if it belongs to one
-- ARGV 3 lease, 0 for a trial, which takes nothing  4 request  5 account  6 terms  7 the key of the window, which is its start
--      unless the end says another  8 window end, or `end start`  9 key|sign-in
--      10 limit of what guests share in a day, '' for others  11 claims  12 terms of the org, '' for none
-- If rules count the request, more follow: in KEYS the groups of their counters, in ARGV 13 the counters
-- and their limits, as rules.lua reads them
local SPEND_KEPT_S = 100 * 86400
local isTrial = ARGV[3] == '0'

if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[6], 'hold', 'readings', 'window')
if kept[1] then
  return { 'admitted', kept[1], kept[2], kept[3], '', unpack(redis.call('HMGET', KEYS[6], 'rules', 'cells', 'weight')) }
end

if ARGV[9] == 'key' then
  local key = redis.call('HMGET', KEYS[2], 'status', 'account', 'expires')
  if key[1] ~= 'active' or key[2] ~= ARGV[5] then return { 'key-gone' } end
  if key[3] and now >= tonumber(key[3]) then return { 'key-gone' } end
end
local terms = redis.call('HGET', KEYS[3], 'terms')
if not terms then return { 'key-gone' } end
local asked = rules and cjson.decode(ARGV[13])
local orgTerms = #KEYS - (asked and #asked[9] or 0) > 9 and redis.call('HGET', KEYS[10], 'terms') or ''
local windowEnd, windowStart = string.match(ARGV[8], '^(%d+) ?(%d*)$')
if terms ~= ARGV[6] or orgTerms ~= ARGV[12] or now < tonumber(windowStart ~= '' and windowStart or ARGV[7])
  or now >= tonumber(windowEnd) then
  return { 'stale', terms, digits(now) }
end

local looked = rules and rules.read(asked, now)
local missing = looked and rules.look(looked)
if missing then return { 'counters-missing', digits(now), unpack(missing) } end

local counters = readCounters(KEYS[4], KEYS[5], KEYS[9])
local claims = readClaims(ARGV[11])
local readings = readingsOf(counters, claims, now)
local denial, granted = judge(claims, counters, readings, now, looked)
if denial then return refused(denial, counters, readings, now, looked) end
local sums = looked and rules.sums(looked) or ''

local today, shared = math.floor(now / DAY_MS), nil
if ARGV[10] ~= '' then
  shared = sharedOf(KEYS[8], today)
  if shared + granted.cost > tonumber(ARGV[10]) then
    local wait = (today + 1) * DAY_MS - now
    return { 'guests-spent', readings.text, digits(now), digits(wait), digits(shared), sums }
  end
end

local second = readings.second
local hold = holdText(grantedHold(granted, { second = second, at = now, round = 0, spentTokens = 0, spentCost = 0 }))
if isTrial then return { 'admitted', hold, readings.text, ARGV[7], sums } end

-- The lease is the first change, and all else that changes was read: a broken record fails the call before it has any effect.
-- Without a lease nobody would end the hold.
redis.call('ZADD', KEYS[7], digits(now + tonumber(ARGV[3])), ARGV[4])
if shared then addShared(KEYS[8], KEYS[6], today, shared, granted.cost, granted.cost) end
local others = {}
for i = 1, #claims.calendar do
  local window, requests = math.floor(second / claims.calendar[i].seconds), 1 + readings.calendar[i]
  if i == 1 then
    counters.window, counters.requests = window, requests
  else
    others[i - 1] = string.format('%d %d', window, requests)
  end
end
counters.others = table.concat(others, ' ')
addToBucket(counters, second, 1, granted.tokens)
counters.concurrent = counters.concurrent + 1
counters.held = counters.held + granted.cost
writeCounters(KEYS[4], KEYS[5], counters)
-- The spend of a window gets an expiry once the account spends in a later one. With an expiry from the start, a Redis clock
-- that is ahead for a moment would delete the spend of the present month.
local last = counters.isNew and redis.call('HGET', KEYS[3], 'window')
-- The spend is new to all calls of the group that begins the window, and the first of them has named it.
if counters.isNew and last ~= ARGV[7] then
  if last and tonumber(last) < tonumber(ARGV[7]) then
    redis.call('EXPIRE', string.sub(KEYS[5], 1, -1 - #ARGV[7]) .. last, SPEND_KEPT_S)
  end
  -- A backup that began before both windows has the earlier one by this name alone.
  redis.call('HSET', KEYS[3], 'window', ARGV[7], 'window_before', last or '')
end

redis.call('HSET', KEYS[6], 'state', 'open', 'account', ARGV[5], 'window', ARGV[7], 'hold', hold, 'readings',
  readings.text)
if looked then
  local weight, cells = rules.take(looked, claims, granted)
  redis.call('HSET', KEYS[6], 'rules', ARGV[13], 'cells', cells or sums, 'weight', weight)
end
return { 'admitted', hold, readings.text, ARGV[7], sums }
