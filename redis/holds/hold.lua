-- Generated from src/adapters/redis/hold-text.ts by scripts/generate.js. Do not edit.
-- The hold text is `output tokens cost second at round spentTokens spentCost`.
local function readHold(text)
  local output, tokens, cost, second, at, round, spentTokens, spentCost =
    string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$')
  return { output = tonumber(output), tokens = tonumber(tokens), cost = tonumber(cost), second = tonumber(second), at = tonumber(at), round = tonumber(round), spentTokens = tonumber(spentTokens), spentCost = tonumber(spentCost) }
end

local function holdText(hold)
  return string.format('%d %d %d %d %d %d %d %d', hold.output, hold.tokens, hold.cost, hold.second, hold.at, hold.round, hold.spentTokens, hold.spentCost)
end
