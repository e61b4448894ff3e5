-- The room that the kept responses of all accounts take. KEYS[2] has each of them by its expiry, KEYS[3] its bytes, and the
-- sum under a name that no response has.
local SUM = ' sum'
-- How many are forgotten at once.
local PAGE = 1000

local function sum() return number(redis.call('HGET', KEYS[3], SUM) or '0') end

-- Gives back what a response took, if it took anything.
local function giveBack(name)
  local bytes = redis.call('HGET', KEYS[3], name)
  if not bytes then return end
  redis.call('HDEL', KEYS[3], name)
  redis.call('ZREM', KEYS[2], name)
  redis.call('HINCRBY', KEYS[3], SUM, digits(-number(bytes)))
end

-- Redis deletes expired responses without telling us, so their room is given back here.
local function giveBackEnded()
  local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', digits(clock()), 'LIMIT', 0, PAGE)
  for _, name in ipairs(ended) do giveBack(name) end
end
