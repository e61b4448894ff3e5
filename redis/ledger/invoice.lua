-- Stores an invoice as it is issued, unless the account already has one for that month.
-- KEYS 2 the invoices of the account, by month
-- ARGV 3 month  4 the invoice as JSON
if wiped() then return { 'wiped' } end
local kept = redis.call('HGET', KEYS[2], ARGV[3])
if kept then return { 'exists', kept } end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
return { 'kept', ARGV[4] }
