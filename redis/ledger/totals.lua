-- Reads the totals of a day, and returns the function that adds to them: totals that are no hash fail a call before it changes
-- anything.
local function addingToTotals(key, field, sums)
  local before = readSums(redis.call('HGET', key, field) or '')
  return function() redis.call('HSET', key, field, sumsText(addSums(before, sums, 1))) end
end

-- Adds to the totals of hosted tools and charges, calls and cost per tool and owner, as texts that the caller writes.
local function addTool(texts, key, field, calls, cost)
  if calls == 0 and cost == 0 then return end
  local before, paid = string.match(texts[field] or redis.call('HGET', key, field) or '', '^(%S+) (%S+)$')
  texts[field] = string.format('%d %d', number(before) + calls, number(paid) + cost)
end
