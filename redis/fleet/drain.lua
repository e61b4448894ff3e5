-- Keeps new requests from a pool or a replica, or sends them there again.
-- KEYS 2 drained places
-- ARGV 3 drain|undrain  4 place
if wiped() then return { 'wiped' } end
if ARGV[3] == 'drain' then
  redis.call('HSET', KEYS[2], ARGV[4], '1')
else
  redis.call('HDEL', KEYS[2], ARGV[4])
end
return { 'done' }
