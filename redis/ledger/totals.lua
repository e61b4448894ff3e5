-- Adds to the totals of a day.
local function addToTotals(key, field, sums)
  local before = readSums(redis.call('HGET', key, field) or '')
  redis.call('HSET', key, field, sumsText(addSums(before, sums, 1)))
end

-- Adds to the totals of hosted tools and charges: calls and cost per tool and owner.
local function addTool(key, field, calls, cost)
  if calls == 0 and cost == 0 then return end
  local before, paid = string.match(redis.call('HGET', key, field) or '', '^(%S+) (%S+)$')
  redis.call('HSET', key, field, string.format('%d %d', number(before) + calls, number(paid) + cost))
end
