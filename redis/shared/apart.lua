-- What a request holds of limits that accounts share, where those lie apart from its account: in a Redis Cluster, where a
-- script has the keys of one slot. src/adapters/redis/shared-holds.ts asks it beside the account.
-- KEYS[2] is the hold, KEYS[3] the leases, KEYS[4] what guests share, without the day; behind them the groups of counters.
local NOBODY = {}

-- The account has its own limits, and judges those: here is nothing of them.
local function noReadings(now)
  return { second = math.floor(now / 1000), requests = 0, tokens = 0, calendar = {}, concurrent = 0, used = 0, held = 0 }
end

-- What refuses, with all that was read of the rules, both as sums and as cells.
local function sharedRefusal(denial, now, looked)
  return { 'refused', digits(now), looked and rules.sums(looked) or '', looked and rules.cells(looked) or '',
    unpack(denial) }
end
