-- Takes what a request may hold of limits that accounts share: all of it, or nothing. Answers how much output that leaves it.
-- ARGV 3 lease, 0 for a trial, which takes nothing  4 request  5 account  6 limit of what guests share in a day, '' for others  7 claims  8 the counters and
--      their limits, as rules.lua reads them, '' for none
local isTrial = ARGV[3] == '0'

if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[2], 'hold', 'rules', 'cells', 'weight')
if kept[1] then return { 'taken', kept[1], '', 'again', kept[2], kept[3], kept[4] } end

local looked = ARGV[8] ~= '' and rules.read(cjson.decode(ARGV[8]), now) or nil
local missing = looked and rules.look(looked)
if missing then return { 'counters-missing', digits(now), unpack(missing) } end
local claims = readClaims(ARGV[7])
local denial, granted = judge(claims, NOBODY, noReadings(now), now, looked)
if denial then return sharedRefusal(denial, now, looked) end

local today, shared = math.floor(now / DAY_MS), nil
if ARGV[6] ~= '' then
  shared = sharedOf(KEYS[4], today)
  if shared + granted.cost > tonumber(ARGV[6]) then
    local wait = (today + 1) * DAY_MS - now
    return sharedRefusal({ 'guests-spent', digits(wait), digits(shared) }, now, looked)
  end
end

local sums = looked and rules.sums(looked) or ''
local second = math.floor(now / 1000)
local hold = holdText(grantedHold(granted, { second = second, at = now, round = 0, spentTokens = 0, spentCost = 0 }))
if isTrial then return { 'taken', hold, sums } end

-- The lease is the first change, behind all that is read.
redis.call('ZADD', KEYS[3], digits(now + tonumber(ARGV[3])), ARGV[4])
if shared then addShared(KEYS[4], KEYS[2], today, shared, granted.cost, granted.cost) end
redis.call('HSET', KEYS[2], 'state', 'open', 'account', ARGV[5], 'hold', hold)
if looked then
  local weight, cells = rules.take(looked, claims, granted)
  redis.call('HSET', KEYS[2], 'rules', ARGV[8], 'cells', cells or sums, 'weight', weight)
end
return { 'taken', hold, sums }
