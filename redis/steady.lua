-- Corrects for a change of the server's clock: scripts on this bucket count with the corrected time. Leases
-- that end later than any lease can, since the clock was set back by more than is corrected, end as if they were new.
-- KEYS 2 correction  3 leases  4 leases of what accounts share  ARGV 3 ahead, in ms  4 lease
local TOLERANCE_MS = 500
if wiped() then return { 'wiped' } end
local time, ahead, lease = serverTime(), number(ARGV[3]), number(ARGV[4])
if math.abs(aheadAt(time) - ahead) >= TOLERANCE_MS then
  if ahead > 0 then
    redis.call('SET', KEYS[2], string.format('%d %d', ahead, time), 'PX', digits(ahead * 10))
  else
    redis.call('DEL', KEYS[2])
  end
end
local now = clock()
for i = 3, 4 do
  local late = redis.call('ZRANGEBYSCORE', KEYS[i], digits(now + 2 * lease), '+inf', 'LIMIT', 0, 10000)
  for _, request in ipairs(late) do redis.call('ZADD', KEYS[i], digits(now + lease), request) end
end
return { 'steady' }
