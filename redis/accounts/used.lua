-- Records when a key was last used.
-- KEYS 2 key
-- ARGV 3 how long ago
if wiped() then return { 'wiped' } end
local kept = redis.call('HMGET', KEYS[2], 'mask', 'used')
-- A replica that was promoted may not have the key yet.
if not kept[1] then return { 'unknown' } end
local at = clock() - tonumber(ARGV[3])
if at > number(kept[2]) then redis.call('HSET', KEYS[2], 'used', digits(at)) end
return { 'done' }
