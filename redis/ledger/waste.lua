-- What an attempt cost the operator: a row and its part of the totals, once per attempt of a request.
-- KEYS 2 ledger  3 totals of waste of the day of admission: of another bucket, as what guests share
-- ARGV 3 request  4 attempt  5 cost  6 input  7 output  8 `account plan model`  9 the rest of the row  10 pool
--      11 cached  12 written into a cache
-- Its place in the ledger, which begins with 3, is behind the rows that settle.lua reads, and is different for each attempt.
if wiped() then return { 'wiped' } end
local place = string.format('%s 3%04d ', ARGV[3], tonumber(ARGV[4]))
-- Its digits end with a blank, and every text that goes on sorts below this.
local found = redis.call('ZRANGEBYLEX', KEYS[2], '[' .. place, '(' .. place .. '~', 'LIMIT', 0, 1)
if found[1] then return { 'repeated' } end
local cost, input, output = number(ARGV[5]), number(ARGV[6]), number(ARGV[7])
redis.call('ZADD', KEYS[2], 0, string.format('%swaste %d %d %d 0 %d %s %s', place, cost, input, output, clock(),
  ARGV[8], ARGV[9]))
addToTotals(KEYS[3], ARGV[10], 1, input, output, cost, number(ARGV[11]), number(ARGV[12]))
return { 'recorded' }
