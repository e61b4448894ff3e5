-- Adds notices, or writes them again. A notice that is known is never added again. With progress, how far a watcher has come is
-- replaced in the same step, where it is what the caller expects and all of its notices have room.
-- KEYS 2 notices by id  3 their order: `at id`, in lexical order  4 those that wait, by the number of their last change
--      5 the last such number  6 progress by watcher
-- ARGV 3 add|write|advance  4 the most that wait  5 watcher, '' for none  6 its progress, '' for none  7 the one that follows
--      then of each: id, place in the order, waits|again|over, notice
-- Returns how many were written, and the ids of those that found no room; `other` where the progress is not the expected one.
if wiped() then return { 'wiped' } end
local isNew, most = ARGV[3] ~= 'write', tonumber(ARGV[4])
local waiting = redis.call('ZCARD', KEYS[4])
-- A broken record fails the call before it changes anything.
local last = number(redis.call('GET', KEYS[5]))
redis.call('HLEN', KEYS[2])
redis.call('ZCARD', KEYS[3])
local written, full = 0, {}
if ARGV[3] == 'advance' then
  local progress = redis.call('HGET', KEYS[6], ARGV[5]) or ''
  -- A gateway repeats this call where its answer was lost.
  if progress ~= ARGV[6] and progress ~= ARGV[7] then return { 'other' } end
  if waiting + (#ARGV - 7) / 4 > most then return { 'full' } end
  redis.call('HSET', KEYS[6], ARGV[5], ARGV[7])
end
for i = 8, #ARGV, 4 do
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
      last = last + 1
      redis.call('SET', KEYS[5], digits(last))
      redis.call('ZADD', KEYS[4], digits(last), id)
      waiting = waiting + 1
    end
    written = written + 1
  end
end
return { 'written', digits(written), unpack(full) }
