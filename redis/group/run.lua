-- Answers with the answer of each call, in their order.
-- ARGV 1 how many keys and values each call has, `keys values keys values …`, whose keys and values follow one another
local allKeys, allValues, answers = KEYS, ARGV, {}

-- Redis 7 throws a table with the error, and earlier versions throw its text.
local function failureOf(thrown)
  if type(thrown) == 'table' and thrown.err then return { err = thrown.err } end
  return { err = 'ERR ' .. tostring(thrown) }
end

local keyAt, valueAt = 0, 1
for keys, values in string.gmatch(allValues[1], '(%d+) (%d+)') do
  KEYS = { unpack(allKeys, keyAt + 1, keyAt + keys) }
  ARGV = { unpack(allValues, valueAt + 1, valueAt + values) }
  keyAt, valueAt = keyAt + keys, valueAt + values
  present = present + 1
  local isDone, answer = pcall(call)
  if isDone then
    for i = 1, #changes do changes[i]() end
  else
    answer = failureOf(answer)
  end
  changes = {}
  answers[present] = answer
end
for i = 1, #ends do ends[i]() end
for at, thrown in pairs(failures) do answers[at] = failureOf(thrown) end
return answers
