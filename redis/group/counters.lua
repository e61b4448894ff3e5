-- The counters of an account are read once for all calls of a group, and written once.
local readAlone, writeAlone, counted = readCounters, writeCounters, {}

local function copyOf(of)
  local copy = {}
  for name, value in pairs(of) do copy[name] = value end
  return copy
end

local function writeCounted(key)
  local entry = counted[key]
  counted[key] = nil
  if entry then writeAlone(key, entry.spendKey, entry.counters) end
end

-- A call that fails must not have changed what the calls before it counted.
local function readCounters(countersKey, spendKey, ringKey)
  local entry = counted[countersKey]
  if entry and entry.spendKey == spendKey then
    local copy = copyOf(entry.counters)
    copy.changed = copyOf(copy.changed)
    return copy
  end
  writeCounted(countersKey)
  return readAlone(countersKey, spendKey, ringKey)
end

local function writeCounters(countersKey, spendKey, counters)
  changes[#changes + 1] = function() counted[countersKey] = { spendKey = spendKey, counters = counters } end
end

ends[#ends + 1] = function()
  for key in pairs(counted) do writeCounted(key) end
end
