-- Restores a running request's hold on limits that accounts share, when this server lacks its admission.
-- ARGV 3 lease  4 request  5 account  6 hold  7 checkpoint or ''  8 the counters and its cells, as rules.lua reads them
--      9 the same cells as texts  10 what it weighs
if wiped() then return { 'wiped' } end
if redis.call('EXISTS', KEYS[2]) == 1 then return { 'known' } end
local now = clock()
local taken = ARGV[8] ~= '' and rules.read(cjson.decode(ARGV[8]), now)
-- The lease is the first change, behind all that is read.
redis.call('ZADD', KEYS[3], digits(now + tonumber(ARGV[3])), ARGV[4])
redis.call('HSET', KEYS[2], 'state', 'open', 'account', ARGV[5], 'hold', ARGV[6], 'checkpoint', ARGV[7])
if taken then
  rules.adopt(taken, ARGV[10])
  redis.call('HSET', KEYS[2], 'rules', ARGV[8], 'cells', ARGV[9], 'weight', ARGV[10])
end
return { 'adopted' }
