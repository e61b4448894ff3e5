-- A row is `request place kind cost input output tokens settled account plan model rest`; the ledger is ordered by it. The rest is
-- a JSON array, with each field at its place of ledger/places.lua.
-- The first is at place 1, a late one at 2, and at 3 begin those of waste, which no settlement looks at.
local ROW = '^(%S+) (%d) (%S+) (%-?%d+) (%-?%d+) (%-?%d+) (%-?%d+) (%d+) (%S+ %S+ %S+) (.*)$'

-- What a request was charged as an orphan, with the owner and the rest of its row; nil where it was charged nothing. Then
-- whether it ended otherwise.
local function orphanRow(ledger, request)
  local was
  for _, row in ipairs(redis.call('ZRANGEBYLEX', ledger, '[' .. request .. ' 1', '(' .. request .. ' 3')) do
    local _, _, kind, cost, input, output, tokens, _, whose, rest = string.match(row, ROW)
    if kind ~= 'orphan' then return nil, true end
    local others = cjson.decode(rest)
    was = { tokens = number(tokens), cost = number(cost), input = number(input), others = others, whose = whose,
      rest = rest, sums = sumsOfRow(number(input), number(output), number(cost), others) }
  end
  return was, false
end
