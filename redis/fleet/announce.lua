-- Announces a gateway of the fleet, or removes it, and returns what is known of the fleet.
-- KEYS 2 members: `until record` by id  3 drained places: records by name  4 change
-- ARGV 3 announce|leave|read  4 id  5 how long it counts, in ms  6 record
if wiped() then return { 'wiped' } end
local now = clock()
if ARGV[3] == 'announce' then
  redis.call('HSET', KEYS[2], ARGV[4], digits(now + number(ARGV[5])) .. ' ' .. ARGV[6])
elseif ARGV[3] == 'leave' then
  redis.call('HDEL', KEYS[2], ARGV[4])
end
local members = {}
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  local ends, record = string.match(all[i + 1], '^(%d+) (.*)$')
  if number(ends) > now then
    members[#members + 1] = record
  else
    redis.call('HDEL', KEYS[2], all[i])
  end
end
local reply = { 'fleet', digits(now), redis.call('HGET', KEYS[4], 'head') or '', digits(#members) }
for _, record in ipairs(members) do reply[#reply + 1] = record end
local drained = redis.call('HGETALL', KEYS[3])
for i = 1, #drained, 2 do reply[#reply + 1] = drained[i] end
return reply
