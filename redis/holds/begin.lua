-- Starts counters of rules that have none yet.
-- KEYS 2.. the groups
-- ARGV 3.. of each counter: group, window, field, newest cell and older ones, as rules.lua has them
if wiped() then return { 'wiped' } end
for i = 3, #ARGV, 5 do
  local key, per, field, head, older = KEYS[1 + ARGV[i]], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  if redis.call('HSETNX', key, field, head) == 1 then
    if older ~= '' then redis.call('HSET', key, '~' .. field, older) end
    rules.keep(key, per)
  end
end
return { 'begun' }
