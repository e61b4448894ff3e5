-- A row is `request place kind cost input output tokens settled account plan model rest`, and the ledger is ordered by it. The
-- rest is a JSON array with each field at its place in ledger/places.lua. Place 1 is the first row, 2 a late one, and those
-- from 3 on are failed attempts, which settlements ignore.
local ROW = '^(%S+) (%d) (%S+) (%-?%d+) (%-?%d+) (%-?%d+) (%-?%d+) (%d+) (%S+ %S+ %S+) (.*)$'

-- The charge of a request as an orphan, with the owner and the rest of its row, or nil if it was charged nothing. The second
-- result is true if the request ended otherwise.
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
