-- Keeps when a key was last used.
-- KEYS 2 key
-- ARGV 3 how long ago
if wiped() then return { 'wiped' } end
local at = clock() - tonumber(ARGV[3])
if at > number(redis.call('HGET', KEYS[2], 'used')) then redis.call('HSET', KEYS[2], 'used', digits(at)) end
return { 'done' }
