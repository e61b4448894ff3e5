-- Shares the slots of a pool among processes: takes the report of one, and grants slots that are free to those whose next
-- request comes first. It does what src/policy/queue/shared-slots.ts does.
-- KEYS 2 processes: records by id, and `virtual`  3 where accounts stand: `finish floor process…` by account, `-` for what is not known
-- ARGV 3 process  4 its lease, in ms  5 round  6 slots of the pool  7 those in use there  8 requests that wait there
--      9-14 the first of them, all '' for none: highest priority, priority with aging, tag, step, weight and last tag of all
--      15 number of charges, then six words each: account, floor, work, weight, 1 where it waits, round; then accounts to
--      tell of, each with its floor where it waits there. Before these the number of shares, then four words each: owner,
--      slots that are guaranteed, those in use here, requests that wait here
if wiped() then return { 'wiped' } end
local MOST_ACCOUNTS, SILENCE, QUIET, KEPT_MS = 10000, 500, 1500, '60000'
local FIELDS = { 'ends', 'at', 'round', 'held', 'granted', 'waiting', 'top', 'risen', 'tag', 'step', 'weight', 'lastTag' }
local now, me = clock(), ARGV[3]
local function text(value) return string.format('%.17g', value) end

local virtual, holders, shares_of, last_heard = 0, {}, {}, nil
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  if all[i] == 'virtual' then
    virtual = tonumber(all[i + 1])
  elseif string.sub(all[i], 1, 2) == 's ' then
    local shares = {}
    for owner, held, granted, waiting in string.gmatch(all[i + 1], '(%S+) (%d+) (%d+) (%d+)') do
      shares[owner] = { held = tonumber(held), granted = tonumber(granted), waiting = tonumber(waiting) }
    end
    shares_of[string.sub(all[i], 3)] = shares
  else
    local holder, n = {}, 0
    for part in string.gmatch(all[i + 1], '%S+') do
      n = n + 1
      holder[FIELDS[n]] = tonumber(part)
    end
    holders[all[i]], last_heard = holder, math.max(last_heard or holder.at, holder.at)
  end
end

for id, shares in pairs(shares_of) do
  if holders[id] then holders[id].shares = shares else redis.call('HDEL', KEYS[2], 's ' .. id) end
end

local function store_shares(id)
  local words = {}
  for owner, use in pairs(holders[id] and holders[id].shares or {}) do
    words[#words + 1] = owner .. ' ' .. digits(use.held) .. ' ' .. digits(use.granted) .. ' ' .. digits(use.waiting)
  end
  if #words > 0 then redis.call('HSET', KEYS[2], 's ' .. id, table.concat(words, ' '))
  elseif shares_of[id] then redis.call('HDEL', KEYS[2], 's ' .. id) end
end

local function store(id)
  local holder, words = holders[id], {}
  for n = 1, #FIELDS do
    local value = holder[FIELDS[n]]
    if value == nil then break end
    words[n] = text(value)
  end
  redis.call('HSET', KEYS[2], id, table.concat(words, ' '))
  store_shares(id)
end

-- Where nobody reported for longer than is usual it was the store that was away, and no process.
local unheard = math.max(0, now - (last_heard or now) - QUIET)
for id, holder in pairs(holders) do
  holder.ends = holder.ends + unheard
  if holder.ends <= now then
    holders[id] = nil
    redis.call('HDEL', KEYS[2], id)
  elseif unheard > 0 then
    store(id)
  end
end

local function waiters()
  local weight, last
  for _, holder in pairs(holders) do
    if holder.waiting > 0 and holder.top then
      weight = (weight or 0) + holder.weight
      last = math.max(last or holder.lastTag, holder.lastTag)
    end
  end
  return weight, last
end

local known, changed_accounts = {}, {}
local function account_of(name)
  if known[name] then return known[name] end
  local account, n = { waits_at = {} }, 0
  for part in string.gmatch(redis.call('HGET', KEYS[3], name) or '', '%S+') do
    n = n + 1
    if n == 1 then account.finish = tonumber(part)
    elseif n == 2 then account.floor = tonumber(part)
    else account.waits_at[part] = true end
  end
  known[name] = account
  return account
end

-- Virtual time at which an account began to wait; nil where it does not at any process but this one.
local function elsewhere(account)
  for id in pairs(account.waits_at) do
    if id ~= me and holders[id] then return account.floor end
  end
end

local function charge(name, floor, work, weight, waits)
  local account = account_of(name)
  local other = elsewhere(account)
  local standing = math.min(other or floor, virtual)
  if weight > 0 then
    local tag = math.max(account.finish or standing, standing)
    account.finish, account.floor = tag + work, account.floor or floor
    virtual = math.max(virtual, tag)
    local waiting, last = waiters()
    if waiting then virtual = math.max(virtual, math.min(virtual + work * weight / (waiting + weight), last)) end
  elseif account.finish then
    account.finish = account.finish + work
    local tag = math.max(account.finish, standing)
    if work < 0 and (waits or other) and tag < virtual then virtual = math.max(tag, virtual + work) end
  end
  changed_accounts[name] = account
end

-- This process says whether an account waits here.
local function note(name, floor)
  local account = account_of(name)
  if not floor then
    if not account.waits_at[me] then return end
    account.waits_at[me] = nil
  else
    if not elsewhere(account) then account.floor, account.waits_at = floor, {} end
    account.waits_at[me] = true
  end
  changed_accounts[name] = account
end

local function store_accounts()
  for name, account in pairs(changed_accounts) do
    local words = { account.finish and text(account.finish) or '-', account.floor and text(account.floor) or '-' }
    for id in pairs(account.waits_at) do words[#words + 1] = id end
    redis.call('HSET', KEYS[3], name, table.concat(words, ' '))
  end
  if redis.call('HLEN', KEYS[3]) <= MOST_ACCOUNTS then return end
  known = {}
  local accounts = redis.call('HGETALL', KEYS[3])
  for i = 1, #accounts, 2 do
    local finish = tonumber(string.match(accounts[i + 1], '%S+'))
    if not finish or finish <= virtual then redis.call('HDEL', KEYS[3], accounts[i]) end
  end
  if redis.call('HLEN', KEYS[3]) > MOST_ACCOUNTS then redis.call('DEL', KEYS[3]) end
end

-- One that is silent may be gone, and gets no slot before it reports.
local function asks(id, but)
  local holder = holders[id]
  return id ~= but and holder.waiting > 0 and holder.top and now - holder.at <= SILENCE
end

-- The process whose next request comes first: among equals the one with the fewest slots.
local function first(but)
  local top, best
  for id, holder in pairs(holders) do
    if asks(id, but) then top = math.max(top or holder.top, holder.top) end
  end
  if not top then return nil end
  local function comesBefore(id, other)
    local a, b = holders[id], holders[other]
    local one, two = math.min(top, a.risen), math.min(top, b.risen)
    if one ~= two then return one > two end
    if a.tag ~= b.tag then return a.tag < b.tag end
    if a.held ~= b.held then return a.held < b.held end
    return id < other
  end
  for id in pairs(holders) do
    if asks(id, but) and (not best or comesBefore(id, best)) then best = id end
  end
  return best
end

-- Slots and requests of an owner in all processes, or in all but one. Requests count where they can be granted a slot.
local function used_by(owner, but)
  local held, waiting = 0, 0
  for id, holder in pairs(holders) do
    local use = id ~= but and holder.shares and holder.shares[owner]
    if use then held, waiting = held + use.held, waiting + (asks(id) and use.waiting or 0) end
  end
  return held, waiting
end

-- The process in which requests of an owner wait that has fewest slots there.
local function asker_of(owner)
  local fewest
  for id, holder in pairs(holders) do
    local use = holder.shares and holder.shares[owner]
    if use and use.waiting > 0 and asks(id) then
      local best = fewest and holders[fewest].shares[owner]
      if not best or use.held < best.held or (use.held == best.held and id < fewest) then fewest = id end
    end
  end
  return fewest
end

local granted = 0
local before = holders[me]
local count = number(ARGV[15])
local shares_at = 16 + 6 * count
local guarantees = {}
for n = 0, number(ARGV[shares_at]) - 1 do
  local at = shares_at + 1 + 4 * n
  guarantees[n + 1] = {
    owner = ARGV[at], slots = number(ARGV[at + 1]), held = number(ARGV[at + 2]), waiting = number(ARGV[at + 3]),
  }
end
local accounts_at = shares_at + 1 + 4 * #guarantees

-- The process to which the owner furthest below its guarantee is owed a slot, and that owner.
local function owed()
  local furthest
  for _, share in ipairs(guarantees) do
    local held = used_by(share.owner)
    if held < share.slots and not (furthest and held * furthest.slots >= furthest.held * share.slots) then
      local id = asker_of(share.owner)
      if id then furthest = { id = id, owner = share.owner, slots = share.slots, held = held } end
    end
  end
  if furthest then return furthest.id, furthest.owner end
end
if not (before and before.round >= number(ARGV[5])) then
  for n = 0, count - 1 do
    local at = 16 + 6 * n
    if not before or number(ARGV[at + 5]) > before.round then
      charge(ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]), ARGV[at + 4] == '1')
    end
  end
  for at = accounts_at, #ARGV, 2 do note(ARGV[at], tonumber(ARGV[at + 1])) end
  store_accounts()
  local heard = before and before.granted or 0
  granted = heard
  local own = {
    ends = now + number(ARGV[4]), at = now, round = number(ARGV[5]), held = number(ARGV[7]) + heard, granted = 0,
    waiting = math.max(0, number(ARGV[8]) - heard),
    top = tonumber(ARGV[9]), risen = tonumber(ARGV[10]), tag = tonumber(ARGV[11]), step = tonumber(ARGV[12]),
    weight = tonumber(ARGV[13]), lastTag = tonumber(ARGV[14]), shares = {},
  }
  for _, share in ipairs(guarantees) do
    local use = before and before.shares and before.shares[share.owner]
    local told = use and use.granted or 0
    own.shares[share.owner] = { held = share.held + told, granted = 0, waiting = math.max(0, share.waiting - told) }
  end
  if own.tag then own.tag = own.tag + heard * own.step end
  holders[me] = nil
  if own.held > 0 or own.waiting > 0 then holders[me] = own else redis.call('HDEL', KEYS[2], me) end
  local free = number(ARGV[6])
  for _, holder in pairs(holders) do free = free - holder.held end
  local changed = { [me] = holders[me] }
  while free > 0 do
    local id, owner = owed()
    id = id or first()
    if not id then break end
    local holder = holders[id]
    holder.held, holder.waiting = holder.held + 1, holder.waiting - 1
    if owner then
      local use = holder.shares[owner]
      use.held, use.waiting = use.held + 1, use.waiting - 1
      if id ~= me then use.granted = use.granted + 1 end
    else
      holder.tag = holder.tag + holder.step
    end
    if id == me then granted = granted + 1 else holder.granted = holder.granted + 1 end
    changed[id] = holder
    free = free - 1
  end
  if next(holders) then
    for id in pairs(changed) do store(id) end
    if not changed[me] then store_shares(me) end
    redis.call('HSET', KEYS[2], 'virtual', text(virtual))
    redis.call('PEXPIRE', KEYS[2], KEPT_MS)
    redis.call('PEXPIRE', KEYS[3], KEPT_MS)
  else
    virtual, known = 0, {}
    redis.call('DEL', KEYS[2], KEYS[3])
  end
end

local held = 0
for _, holder in pairs(holders) do held = held + holder.held end
local ahead = holders[first(me)] or {}
local function or_nothing(value) return value and text(value) or '' end
local reply = {
  'slots', digits(granted), digits(held), text(virtual),
  or_nothing(ahead.top), or_nothing(ahead.risen), or_nothing(ahead.tag), or_nothing(ahead.step),
}
for at = accounts_at, #ARGV, 2 do
  local account = account_of(ARGV[at])
  reply[#reply + 1] = or_nothing(account.finish)
  reply[#reply + 1] = or_nothing(elsewhere(account))
end
for _, share in ipairs(guarantees) do
  local in_use, waiting = used_by(share.owner, me)
  reply[#reply + 1] = digits(in_use)
  reply[#reply + 1] = digits(waiting)
end
return reply
