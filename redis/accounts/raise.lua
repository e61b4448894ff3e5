-- Raises the schema of the store, which never falls.
-- KEYS 1 the identity of the store, which lies in no bucket
-- ARGV 1 the epoch that the caller knows  2 schema
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return { 'wiped' } end
if number(redis.call('HGET', KEYS[1], 'schema')) < number(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'schema', ARGV[2])
end
return { 'raised' }
