-- Returns the commands that the user of this connection may not run. It changes no data: Redis checks permissions before
-- arguments. LPUSH, SADD, HSETNX and APPEND always write, so they are not tried.
-- KEYS 1.. an unused key of each pattern: Redis does not start the script if the user may not use them
local key = KEYS[1]
local calls = {
  { 'TIME' }, { 'INFO', 'server' }, { 'SCAN', '0', 'COUNT', '1' },
  { 'DEL', key }, { 'EXISTS', key }, { 'TTL', key }, { 'PTTL', key }, { 'EXPIRE', key, '60' }, { 'PEXPIRE', key, '60' },
  { 'PERSIST', key }, { 'RENAME', key, key }, { 'SET', key, '1', 'XX' }, { 'GET', key }, { 'GETRANGE', key, '0', '0' },
  { 'SETRANGE', key, '0', '' }, { 'HSET', key, 'a', '1', 'b' }, { 'HGET', key, 'a' }, { 'HMGET', key, 'a' },
  { 'HGETALL', key }, { 'HLEN', key }, { 'HKEYS', key }, { 'HINCRBY', key, 'a', 'b' }, { 'HDEL', key, 'a' },
  { 'LINDEX', key, '0' }, { 'LRANGE', key, '0', '0' }, { 'LREM', key, '0', 'a' }, { 'SMEMBERS', key },
  { 'XADD', key, 'NOMKSTREAM', '*', 'a', '1' }, { 'XRANGE', key, '-', '+', 'COUNT', '1' },
  { 'ZADD', key, 'XX', '0', 'a' }, { 'ZCARD', key }, { 'ZSCORE', key, 'a' }, { 'ZRANGE', key, '0', '0' },
  { 'ZRANGEBYLEX', key, '-', '+', 'LIMIT', '0', '1' }, { 'ZRANGEBYSCORE', key, '1', '1', 'LIMIT', '0', '1' },
  { 'ZREM', key, 'a' }, { 'ZREMRANGEBYSCORE', key, '1', '1' },
}

-- Matches the wording of Redis 7.0, and that of Valkey and later versions.
local function forbids(said)
  return string.find(said, "The user executing the script can't run", 1, true)
    or string.find(said, 'ACL failure in script', 1, true)
end

local lacks = {}
for _, call in ipairs(calls) do
  local answer = redis.pcall(unpack(call))
  local said = type(answer) == 'table' and answer.err
  if said and forbids(said) then lacks[#lacks + 1] = call[1] end
end
return lacks
