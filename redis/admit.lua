-- One admission: all of the claims, or nothing. src/gateway/store.ts says what it promises.
-- KEYS 2 key  3 account  4 standing  5 spend of the window  6 hold  7 leases
-- ARGV 3 lease  4 request  5 account  6 plan  7 window start  8 window end  9.. claims
if wiped() then return { 'wiped' } end
local now = clock()
local kept = redis.call('HMGET', KEYS[6], 'hold', 'readings', 'window')
if kept[1] then return { 'admitted', kept[1], kept[2], kept[3] } end

local key = redis.call('HMGET', KEYS[2], 'status', 'account')
if key[1] ~= 'active' or key[2] ~= ARGV[5] then return { 'key-gone' } end
local plan = redis.call('HGET', KEYS[3], 'plan')
if plan ~= ARGV[6] or now < tonumber(ARGV[7]) or now >= tonumber(ARGV[8]) then
  return { 'stale', plan, string.format('%d', now) }
end

local standing = readStanding(KEYS[4], KEYS[5])
local readings = readingsOf(standing, now)
local denial, granted = judge(readClaims(9), readings, now)
if denial then return refused(denial, readings) end

local second = readings.second
local day = math.floor(second / 86400)
standing.requests = 1 + (standing.day == day and standing.requests or 0)
standing.day = day
addToBucket(standing, second, 1, granted.tokens)
standing.open = standing.open + 1
standing.held = standing.held + granted.cost
writeStanding(KEYS[4], KEYS[5], standing)

local hold = holdText(granted, second, now, 0, 0, 0)
redis.call('HSET', KEYS[6], 'state', 'open', 'account', ARGV[5], 'window', ARGV[7], 'hold', hold, 'readings',
  readings.text)
redis.call('ZADD', KEYS[7], now + tonumber(ARGV[3]), ARGV[4])
return { 'admitted', hold, readings.text, ARGV[7] }
