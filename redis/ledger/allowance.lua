-- The spending cap of a pool in any hour, or of a mirror in any day: src/policy/pool-budget.ts in Lua, proven equal by
-- test/adapters/store/redis/redis-scripts.properties.test.ts.
-- KEYS 2 allowance: `minute cost` for each bucket, oldest first
-- ARGV 3 take|amend|read  4 amount, or the difference  5 limit, or the moment it was counted at  6 milliseconds of a bucket: a minute,
--      unless it is said
local MINUTE_MS = tonumber(ARGV[6] or 60000)
local MINUTES_BEFORE = 60
local KEPT_S = 3 * 60 * MINUTE_MS / 1000

if wiped() then return { 'wiped' } end
local now, how, amount = clock(), ARGV[3], number(ARGV[4])
local hour, newest = {}, 0
for at, cost in string.gmatch(redis.call('GET', KEYS[2]) or '', '(%d+) (%d+)') do
  newest = tonumber(at)
  hour[#hour + 1] = { minute = newest, cost = tonumber(cost) }
end

local minute = math.floor(now / MINUTE_MS)
-- After a small step back of the clock, the newest bucket stays the current one. After a step of more than an hour, buckets in
-- the future count as of now.
if newest - minute <= MINUTES_BEFORE then minute = math.max(minute, newest) end
local live, used = {}, 0
local function add(at, cost)
  local last = live[#live]
  if last and last.minute == at then
    last.cost = last.cost + cost
  else
    live[#live + 1] = { minute = at, cost = cost }
  end
end
for _, bucket in ipairs(hour) do
  if bucket.minute >= minute - MINUTES_BEFORE then
    add(math.min(bucket.minute, minute), bucket.cost)
    used = used + bucket.cost
  end
end

if how == 'read' then return { 'read', digits(used) } end
if how == 'take' then
  if used + amount > tonumber(ARGV[5]) then return { 'spent' } end
  add(minute, amount)
else
  local counted = math.floor(tonumber(ARGV[5]) / MINUTE_MS)
  for _, bucket in ipairs(live) do
    if bucket.minute == counted then bucket.cost = math.max(0, bucket.cost + amount) end
  end
end
local texts = {}
for i, bucket in ipairs(live) do texts[i] = string.format('%d %d', bucket.minute, bucket.cost) end
redis.call('SET', KEYS[2], table.concat(texts, ' '), 'EX', digits(KEPT_S))
return { how, digits(math.max(now, minute * MINUTE_MS)) }
