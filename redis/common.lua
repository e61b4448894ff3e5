-- What every script begins with. Milliseconds, tokens and nano-USD, all of them integers below 2^53.
-- KEYS[1] is the epoch of the bucket, ARGV[1] the epoch that the caller knows, ARGV[2] a time or ''.
local function number(text) return tonumber(text) or 0 end

-- Numbers become texts by this: Lua's own way ends at 14 digits, and that of redis.call takes three times as long.
local function digits(number) return string.format('%d', number) end

-- Emptied, or filled by another program: nothing it says can be trusted.
local function wiped() return redis.call('GET', KEYS[1]) ~= ARGV[1] end

local function clock()
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  local time = redis.call('TIME')
  return number(time[1]) * 1000 + math.floor(number(time[2]) / 1000)
end

-- The functions of rules.lua, in scripts that have it.
local rules
