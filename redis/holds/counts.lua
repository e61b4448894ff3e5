-- Generated from src/adapters/redis/counter-texts.ts by scripts/generate.js. Do not edit.
-- The counts text is `oldest sumRequests sumTokens window requests concurrent`.
local function readCounts(text)
  local oldest, sumRequests, sumTokens, window, requests, concurrent =
    string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$')
  return { oldest = tonumber(oldest), sumRequests = tonumber(sumRequests), sumTokens = tonumber(sumTokens), window = tonumber(window), requests = tonumber(requests), concurrent = tonumber(concurrent) }
end

local function countsText(counts)
  return string.format('%d %d %d %d %d %d', counts.oldest, counts.sumRequests, counts.sumTokens, counts.window, counts.requests, counts.concurrent)
end
