-- Adds to the totals of a day: requests, tokens in, tokens out and cost of a field, and once there are any, tokens that
-- were read from a cache and written into one.
local function addToTotals(key, field, requests, input, output, cost, cached, written)
  local sums = {}
  for part in string.gmatch(redis.call('HGET', key, field) or '', '%S+') do sums[#sums + 1] = tonumber(part) end
  local text = string.format('%d %d %d %d', (sums[1] or 0) + requests, (sums[2] or 0) + input,
    (sums[3] or 0) + output, (sums[4] or 0) + cost)
  local read, wrote = (sums[5] or 0) + cached, (sums[6] or 0) + written
  if read ~= 0 or wrote ~= 0 then text = string.format('%s %d %d', text, read, wrote) end
  redis.call('HSET', key, field, text)
end

-- Adds to the totals of hosted tools and charges: calls and cost of a tool, beside whose they are.
local function addTool(key, field, calls, cost)
  if calls == 0 and cost == 0 then return end
  local before, paid = string.match(redis.call('HGET', key, field) or '', '^(%S+) (%S+)$')
  redis.call('HSET', key, field, string.format('%d %d', number(before) + calls, number(paid) + cost))
end
