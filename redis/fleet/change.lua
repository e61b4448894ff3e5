-- Puts a change of all gateways in the place of the one that is known.
-- KEYS 2 change: its head and its files
-- ARGV 3 the head that is expected, '' for none  4 the next head  5 the files, '' to keep those that are there
if wiped() then return { 'wiped' } end
local head = redis.call('HGET', KEYS[2], 'head') or ''
-- What is repeated after a failover was done already.
if head == ARGV[4] then return { 'done' } end
if head ~= ARGV[3] then return { 'changed' } end
redis.call('HSET', KEYS[2], 'head', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[2], 'files', ARGV[5]) end
return { 'done' }
