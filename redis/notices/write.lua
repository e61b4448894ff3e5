-- Adds notices, or writes them again. A notice that is known is never added again.
-- KEYS 2 notices by id  3 their order: `at id`, in lexical order  4 those that wait, by the number of their last change
--      5 the last such number
-- ARGV 3 add|write  4 the most that wait  then of each: id, place in the order, waits|again|over, notice
-- Returns how many were written, and the ids of those that found no room.
if wiped() then return { 'wiped' } end
local isNew, most = ARGV[3] == 'add', tonumber(ARGV[4])
local waiting = redis.call('ZCARD', KEYS[4])
local written, full = 0, {}
for i = 5, #ARGV, 4 do
  local id, order, state, text = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local known = redis.call('HGET', KEYS[2], id)
  if isNew and known then
    -- Its delivery is another gateway's, or was the caller's before an answer was lost.
  elseif isNew and state ~= 'over' and waiting >= most then
    full[#full + 1] = id
  elseif isNew or known then
    redis.call('HSET', KEYS[2], id, text)
    redis.call('ZADD', KEYS[3], '0', order)
    if state == 'over' then
      redis.call('ZREM', KEYS[4], id)
    elseif state == 'again' or isNew then
      local last = number(redis.call('GET', KEYS[5])) + 1
      redis.call('SET', KEYS[5], digits(last))
      redis.call('ZADD', KEYS[4], digits(last), id)
      waiting = waiting + 1
    end
    written = written + 1
  end
end
return { 'written', digits(written), unpack(full) }
