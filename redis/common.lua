-- Every script includes this file. Milliseconds, tokens and nano-USD are integers below 2^53.
-- KEYS[1] is the epoch of the bucket. ARGV[1] is `epoch+known+writes`: the epoch that the caller knows, the newest schema step
-- that it knows and, if it writes a restriction, the step of that restriction. ARGV[2] is a time or ''.
local function number(text) return tonumber(text) or 0 end

-- Formats integers: Lua's own conversion ends at 14 digits, and that of redis.call takes three times as long.
local function digits(number) return string.format('%d', number) end

-- True if the store was emptied or filled by another program, so that none of its data can be trusted. A bucket with
-- restrictions appends their step to its epoch: a gateway that does not know them finds the bucket wiped as well.
local function wiped()
  local kept = redis.call('GET', KEYS[1])
  if not kept then return true end
  local epoch, known, writes = string.match(ARGV[1], '^([^+]*)%+?(%d*)%+?(%d*)$')
  local found, step = string.match(kept, '^([^+]*)%+?(%d*)$')
  if found ~= epoch or number(step) > number(known) then return true end
  if number(writes) > number(step) then redis.call('SET', KEYS[1], epoch .. '+' .. writes) end
  return false
end

local calledAt
local function serverTime()
  if not calledAt then
    local time = redis.call('TIME')
    calledAt = number(time[1]) * 1000 + math.floor(number(time[2]) / 1000)
  end
  return calledAt
end

-- After the server's clock was set back, our time continues from the later value, a tenth more slowly, until the clock has
-- caught up. steady.lua stores next to the epoch how far it was ahead and since when: `ahead since`.
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

-- Filled by rules.lua, in scripts that include it.
local rules
