-- The counters of an account are read once for all calls of a group, and written once, in the order of their first calls.
local readAlone, writeAlone, counted, order = readCounters, writeCounters, {}, {}

local function copyOf(of)
  local copy = {}
  for name, value in pairs(of) do copy[name] = value end
  return copy
end

local function writeCounted(key)
  local entry = counted[key]
  if not entry then return end
  writeSums(entry.calls, function() writeAlone(key, entry.spendKey, entry.counters) end)
  counted[key] = nil
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

-- Counts once the call has succeeded. Each of its buckets was read before, so that a broken ring has failed the call by now.
local function writeCounters(countersKey, spendKey, counters)
  local at = present
  changes[#changes + 1] = function()
    local entry = counted[countersKey]
    if not entry then
      entry = { calls = {} }
      counted[countersKey], order[#order + 1] = entry, countersKey
    end
    entry.spendKey, entry.counters = spendKey, counters
    entry.calls[#entry.calls + 1] = at
  end
end

ends[#ends + 1] = function()
  for i = 1, #order do writeCounted(order[i]) end
end
