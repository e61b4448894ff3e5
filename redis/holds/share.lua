-- Generated from src/adapters/redis/counter-texts.ts by scripts/generate.js. Do not edit.
-- The share text is `day cost`.
local function readShare(text)
  local day, cost =
    string.match(text, '^(%S+) (%S+)$')
  return { day = tonumber(day), cost = tonumber(cost) }
end

local function shareText(share)
  return string.format('%d %d', share.day, share.cost)
end
