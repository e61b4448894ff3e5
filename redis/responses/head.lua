-- Generated from src/adapters/redis/response-head.ts by scripts/generate.js. Do not edit.
-- The head of a kept response is `place expiresAt bytes item…`, its place in 16 digits.
local function placeText(number) return string.format('%016d', number) end

local function readHead(text)
  local place, expiresAt, bytes, items = string.match(text, '^(%d+) (%d+) (%d+)(.*)$')
  return { place = place, expiresAt = tonumber(expiresAt), bytes = tonumber(bytes), items = items }
end

-- `items` are texts with a blank before each.
local function headText(head)
  return head.place .. ' ' .. digits(head.expiresAt) .. ' ' .. digits(head.bytes) .. head.items
end
