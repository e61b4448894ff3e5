-- Keeps a value of a label beside the others that clients of an account sent.
-- KEYS 2 the values of the account: a field for each `label=value`, and for each label how many it has
-- ARGV 3 label  4 value  5 the most values of the label, or '' for any number
-- Answers `full` with the values that there are.
if wiped() then return { 'wiped' } end
local field = ARGV[3] .. '=' .. ARGV[4]
if redis.call('HGET', KEYS[2], field) then return { 'exists' } end
local count = number(redis.call('HGET', KEYS[2], ARGV[3]) or '0')
if ARGV[5] ~= '' and count >= number(ARGV[5]) then
  local full = { 'full' }
  for _, each in ipairs(redis.call('HKEYS', KEYS[2])) do
    local label, value = string.match(each, '^([^=]+)=(.+)$')
    if label == ARGV[3] then full[#full + 1] = value end
  end
  return full
end
redis.call('HSET', KEYS[2], field, '1', ARGV[3], digits(count + 1))
return { 'done' }
