-- What every script begins with. Milliseconds, tokens and nano-USD, all of them integers below 2^53.
-- KEYS[1] is the epoch of the bucket, ARGV[1] the epoch that the caller knows, with the greatest step of the schema that it
-- knows and, where it writes a restriction, the step of that: `epoch+known+writes`. ARGV[2] is a time or ''.
local function number(text) return tonumber(text) or 0 end

-- Numbers become texts by this: Lua's own way ends at 14 digits, and that of redis.call takes three times as long.
local function digits(number) return string.format('%d', number) end

-- Emptied, or filled by another program: nothing it says can be trusted. A bucket with restrictions has their step behind its
-- epoch, where a gateway that does not know them finds it wiped as well.
local function wiped()
  local kept = redis.call('GET', KEYS[1])
  if not kept then return true end
  local epoch, known, writes = string.match(ARGV[1], '^([^+]*)%+?(%d*)%+?(%d*)$')
  local found, step = string.match(kept, '^([^+]*)%+?(%d*)$')
  if found ~= epoch or number(step) > number(known) then return true end
  if number(writes) > number(step) then redis.call('SET', KEYS[1], epoch .. '+' .. writes) end
  return false
end

local function serverTime()
  local time = redis.call('TIME')
  return number(time[1]) * 1000 + math.floor(number(time[2]) / 1000)
end

-- A clock of the server that was set back goes on, a tenth more slowly, until the time is what it shows. steady.lua keeps
-- beside the epoch by how much it was ahead, and since when: `ahead since`.
local function aheadAt(time)
  local kept = redis.call('GET', string.sub(KEYS[1], 1, -#'epoch' - 1) .. 'clock')
  if not kept then return 0 end
  local ahead, since = string.match(kept, '^(%d+) (%d+)$')
  return math.max(0, tonumber(ahead) - math.floor(math.max(0, time - tonumber(since)) / 10))
end

local function clock()
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  local time = serverTime()
  return time + aheadAt(time)
end

-- The functions of rules.lua, in scripts that have it.
local rules
