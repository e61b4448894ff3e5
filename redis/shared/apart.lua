-- A request's hold on limits that accounts share, when those are in another slot than the account: in a Redis Cluster a script
-- sees the keys of one slot. src/adapters/redis/shared-holds.ts calls it beside the account's script.
-- KEYS[2] is the hold, KEYS[3] the leases, KEYS[4] what guests share, without the day; behind them the groups of counters.
local NOBODY = {}

-- The account's own script judges its own limits, so there are no readings of them here.
local function noReadings(now)
  return { second = math.floor(now / 1000), requests = 0, tokens = 0, calendar = {}, concurrent = 0, used = 0, held = 0 }
end

-- Builds a refusal with all that was read of the rules, both as sums and as cells.
local function sharedRefusal(denial, now, looked)
  return { 'refused', digits(now), looked and rules.sums(looked) or '', looked and rules.cells(looked) or '',
    unpack(denial) }
end
