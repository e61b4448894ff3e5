-- Ends a request's hold on limits that accounts share, once per request.
-- ARGV 3 request  4 settle|refund|orphan, undo where its account did not admit it, or join where it held nothing and limits
--      came while it ran  5 tokens  6 cost  7 input
--      8 the counters and its cells, as rules.lua reads them, '' for none  9 images and seconds  10 when it was admitted
--      11 the limits that notices are about, as notices/announce.lua reads them, '' or nothing for none
-- A server that lacks the admission counts it together with the end. It remembers an end this long.
local ENDED_KEPT_MS = 300000
-- A request that joined has no admission here whose age would reject a repetition, so it is remembered for longer than
-- journals repeat it.
local JOINED_KEPT_MS = 900000
local ORPHAN_KEPT_MS = 3600000

if wiped() then return { 'wiped' } end
local now, request, how = clock(), ARGV[3], ARGV[4]
local kept = redis.call('HMGET', KEYS[2], 'state', 'hold', 'shared', 'weight', 'charge')
local state = kept[1]
if state == 'ended' then return { 'repeated' } end
if how == 'orphan' and state ~= 'open' then return { 'ended' } end
-- The gateway renewed the lease after the sweeper looked.
local lease = redis.call('ZSCORE', KEYS[3], request)
if how == 'orphan' and lease and tonumber(lease) > now then return { 'renewed' } end
local isLost = not state and (how == 'settle' or how == 'refund') and now - tonumber(ARGV[10]) < ENDED_KEPT_MS
if not state and not isLost and how ~= 'join' then return { 'ended' } end

local charge = { tokens = number(ARGV[5]), cost = number(ARGV[6]), input = number(ARGV[7]) }
local charged, pieces = readCharge(kept[5])
local was, counted = charged or { tokens = 0, cost = 0, input = 0 }, ARGV[9]
-- The request ran on after it was charged, and its gateway is gone by now.
if charged and how == 'orphan' then
  charge, counted = { tokens = was.tokens, cost = was.cost, input = was.input }, pieces
end
local taken, announceAll
if ARGV[8] ~= '' then
  charge.images, charge.seconds = rules.pieces(counted)
  charge.requests = isLost and 1 or how == 'undo' and -1 or 0
  was.images, was.seconds = rules.pieces(pieces)
  taken = rules.readTaken(ARGV[8], kept[2] and readHold(kept[2]), KEYS[2], now)
  rules.settle(taken, state == 'open' and (kept[4] or nil), charge, was,
    how == 'join' or how == 'settle' and not charged)
  announceAll = announcing(ARGV[11], function(place, cell) return countedByRule(taken, place, cell) end, now)
end
local weigh = weighingShared(KEYS[4], KEYS[2], kept[3], charge.cost)

-- All that changes was read: a broken record fails the call before it has any effect.
if taken then
  rules.write(taken)
  announceAll()
end
weigh()
redis.call('HDEL', KEYS[2], 'resumed')
redis.call('ZREM', KEYS[3], request)
if how == 'undo' then
  -- The account may be asked again.
  redis.call('DEL', KEYS[2])
elseif how == 'orphan' then
  local isCharged = charge.tokens > 0 or charge.cost > 0
  local text = isCharged and string.format('%d %d %d %s', charge.tokens, charge.cost, charge.input, counted) or ''
  redis.call('HSET', KEYS[2], 'state', 'orphan', 'charge', text, 'weight', '', 'checkpoint', '')
  redis.call('PEXPIRE', KEYS[2], ORPHAN_KEPT_MS)
else
  redis.call('HSET', KEYS[2], 'state', 'ended', 'rules', '', 'cells', '', 'checkpoint', '')
  redis.call('PEXPIRE', KEYS[2], how == 'join' and JOINED_KEPT_MS or ENDED_KEPT_MS)
end
return { 'given' }
