-- Generated from src/adapters/redis/total-texts.ts by scripts/generate.js. Do not edit.
-- The sums of a day are `requests inputTokens outputTokens cost cachedTokens cacheWriteTokens saved`. A text ends where all sums behind are 0.
local function readSums(text)
  local numbers = {}
  for part in string.gmatch(text, '%S+') do numbers[#numbers + 1] = tonumber(part) end
  return { requests = numbers[1] or 0, inputTokens = numbers[2] or 0, outputTokens = numbers[3] or 0, cost = numbers[4] or 0, cachedTokens = numbers[5] or 0, cacheWriteTokens = numbers[6] or 0, saved = numbers[7] or 0 }
end

local function sumsText(sums)
  local last = 4
  if sums.cachedTokens ~= 0 or sums.cacheWriteTokens ~= 0 then last = 6 end
  if sums.saved ~= 0 then last = 7 end
  return table.concat({ digits(sums.requests), digits(sums.inputTokens), digits(sums.outputTokens), digits(sums.cost), digits(sums.cachedTokens), digits(sums.cacheWriteTokens), digits(sums.saved) }, ' ', 1, last)
end

-- The sums of `a`, and `times` those of `b`.
local function addSums(a, b, times)
  return { requests = a.requests + times * b.requests, inputTokens = a.inputTokens + times * b.inputTokens, outputTokens = a.outputTokens + times * b.outputTokens, cost = a.cost + times * b.cost, cachedTokens = a.cachedTokens + times * b.cachedTokens, cacheWriteTokens = a.cacheWriteTokens + times * b.cacheWriteTokens, saved = a.saved + times * b.saved }
end

-- The amounts that a ledger row with this rest adds to the sums of its day.
local function sumsOfRow(input, output, cost, rest)
  return { requests = 1, inputTokens = input, outputTokens = output, cost = cost, cachedTokens = number(rest[9]), cacheWriteTokens = number(rest[10]), saved = number(rest[16]) }
end
