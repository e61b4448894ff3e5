-- Reads the charge of an orphan, with its images and seconds as text; nil if there is none.
local function readCharge(text)
  local tokens, cost, input, pieces = string.match(text or '', '^(%d+) (%d+) (%d+) (.*)$')
  if not tokens then return nil, '' end
  return { tokens = tonumber(tokens), cost = tonumber(cost), input = tonumber(input) }, pieces
end
