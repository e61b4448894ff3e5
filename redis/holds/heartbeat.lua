-- A heartbeat: renews the lease of a running request, and keeps what the request would be settled at.
-- KEYS 2 hold  3 leases
-- ARGV 3 lease  4 request  5 checkpoint or ''
if wiped() then return { 'wiped' } end
if redis.call('HGET', KEYS[2], 'state') ~= 'open' then return { 'ended' } end
if ARGV[5] ~= '' then redis.call('HSET', KEYS[2], 'checkpoint', ARGV[5]) end
redis.call('ZADD', KEYS[3], clock() + tonumber(ARGV[3]), ARGV[4])
return { 'open' }
