-- Reads records of one bucket at a single moment.
-- KEYS 2 leases  3 what the names of holds begin with
-- ARGV 3 commands that read, as JSON  4… the fields of a hold
-- Answers with the time, the replies, and behind these each hold of a lease: request, end of the lease, fields.
if wiped() then return { 'wiped' } end
local time = redis.call('TIME')
local replies, holds = {}, {}
for i, command in ipairs(cjson.decode(ARGV[3])) do replies[i] = redis.call(unpack(command)) end
local leases = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for i = 1, #leases, 2 do
  holds[#holds + 1] = { leases[i], leases[i + 1], redis.call('HMGET', KEYS[3] .. leases[i], unpack(ARGV, 4)) }
end
return { 'read', time, replies, holds }
