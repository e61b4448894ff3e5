-- Counts one event under every name, or under none, so that any span of the window has at most the limit of each.
-- KEYS 2.. names
-- ARGV 3 window  4 a word that no other event has  5.. limits
if wiped() then return { 'wiped' } end
local now, window = clock(), tonumber(ARGV[3])
local wait = 0
for i = 2, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - window)
  local limit = tonumber(ARGV[i + 3])
  if redis.call('ZCARD', KEYS[i]) >= limit then
    local oldest = redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')[2]
    wait = math.max(wait, oldest and tonumber(oldest) + window - now or window)
  end
end
if wait > 0 then return { 'wait', digits(wait) } end
for i = 2, #KEYS do
  redis.call('ZADD', KEYS[i], now, ARGV[4])
  redis.call('PEXPIRE', KEYS[i], window + 1000)
end
return { 'counted' }
