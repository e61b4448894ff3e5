-- What an orphan was charged, and its images and seconds as text; nil for nothing.
local function readCharge(text)
  local tokens, cost, input, pieces = string.match(text or '', '^(%d+) (%d+) (%d+) (.*)$')
  if not tokens then return nil, '' end
  return { tokens = tonumber(tokens), cost = tonumber(cost), input = tonumber(input) }, pieces
end
