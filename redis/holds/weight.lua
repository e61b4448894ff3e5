-- Generated from src/adapters/redis/hold-text.ts by scripts/generate.js. Do not edit.
-- The weight text is `input output images seconds cost`.
local function readWeight(text)
  local input, output, images, seconds, cost =
    string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
  return { input = tonumber(input), output = tonumber(output), images = tonumber(images), seconds = tonumber(seconds), cost = tonumber(cost) }
end

local function weightText(weight)
  return string.format('%d %d %d %d %d', weight.input, weight.output, weight.images, weight.seconds, weight.cost)
end
