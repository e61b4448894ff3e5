-- Adds to the totals of a day: requests, tokens in, tokens out and cost of a field.
local function addToTotals(key, field, requests, input, output, cost)
  local sums = {}
  for part in string.gmatch(redis.call('HGET', key, field) or '', '%S+') do sums[#sums + 1] = tonumber(part) end
  redis.call('HSET', key, field, string.format('%d %d %d %d', (sums[1] or 0) + requests, (sums[2] or 0) + input,
    (sums[3] or 0) + output, (sums[4] or 0) + cost))
end
