-- Records the cost of a failed attempt to the operator: a row and its part of the totals, once per attempt of a request.
-- KEYS 2 ledger  3 totals of waste of the day of admission: of another bucket, as what guests share
-- ARGV 3 request  4 attempt  5 its sums  6 `account plan model`  7 the rest of the row  8 pool
-- Its place in the ledger, which begins with 3, is behind the rows that settle.lua reads, and is different for each attempt.
if wiped() then return { 'wiped' } end
local place = string.format('%s 3%04d ', ARGV[3], tonumber(ARGV[4]))
-- The digits of a place end with a blank, so every longer text sorts below this bound.
local found = redis.call('ZRANGEBYLEX', KEYS[2], '[' .. place, '(' .. place .. '~', 'LIMIT', 0, 1)
if found[1] then return { 'repeated' } end
local sums = readSums(ARGV[5])
local addTotals = addingToTotals(KEYS[3], ARGV[8], sums)
redis.call('ZADD', KEYS[2], 0, string.format('%swaste %d %d %d 0 %d %s %s', place, sums.cost, sums.inputTokens,
  sums.outputTokens, clock(), ARGV[6], ARGV[7]))
addTotals()
return { 'recorded' }
