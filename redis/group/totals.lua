-- The totals of a day are added up over a group.
local addAlone, added = addToTotals, {}

local function addToTotals(key, field, sums)
  changes[#changes + 1] = function()
    local fields = added[key] or {}
    added[key] = fields
    fields[field] = fields[field] and addSums(fields[field], sums, 1) or sums
  end
end

ends[#ends + 1] = function()
  for key, fields in pairs(added) do
    for field, sums in pairs(fields) do addAlone(key, field, sums) end
  end
end
