-- Renews the lease of a running request, and stores the amount it would be settled at.
-- KEYS 2 hold  3 leases
-- ARGV 3 lease  4 request  5 checkpoint or ''
if wiped() then return { 'wiped' } end
local kept = redis.call('HMGET', KEYS[2], 'state', 'resumed')
-- The sweeper charged the request while its gateway was stalled: resume.lua counts it again.
if kept[1] == 'orphan' then return { 'orphan' } end
if kept[1] ~= 'open' then return { 'ended' } end
redis.call('ZADD', KEYS[3], clock() + tonumber(ARGV[3]), ARGV[4])
-- The charge of a resumed request is in its row.
if ARGV[5] ~= '' and not kept[2] then redis.call('HSET', KEYS[2], 'checkpoint', ARGV[5]) end
return { 'open' }
