-- The totals of a day are added up over a group, and written in the order of their first calls.
local added, order = {}, {}

local function addingToTotals(key, field, sums)
  -- Totals that are no hash fail each call that would add to them, as alone.
  local fields = added[key] or {}
  added[key] = fields
  local entry = fields[field]
  if not entry then
    entry = { key = key, field = field, sums = readSums(redis.call('HGET', key, field) or ''), calls = {} }
    fields[field] = entry
  end
  local at = present
  return function()
    changes[#changes + 1] = function()
      if #entry.calls == 0 then order[#order + 1] = entry end
      entry.sums = addSums(entry.sums, sums, 1)
      entry.calls[#entry.calls + 1] = at
    end
  end
end

ends[#ends + 1] = function()
  for i = 1, #order do
    local entry = order[i]
    writeSums(entry.calls, function() redis.call('HSET', entry.key, entry.field, sumsText(entry.sums)) end)
  end
end
