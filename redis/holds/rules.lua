-- Limits of any measure, window and scope: src/policy/limits/rule-counter.ts and rule-hold.ts in Lua, proven equal by
-- test/adapters/store/redis/redis-scripts.properties.test.ts.
-- The hash of a group has a field for each counter, with its newest cell: `index,used,held,from`, and of a window that slides
-- what its older cells come to: `,used,held`. They count from the cell `from`, and are in the field `~` and the name of the
-- counter, oldest first, each `;index,used,held`; `from` is 0 where there are none. So most requests touch the newest alone.
-- The keys of the groups are the last ones. Counters come as JSON: their fields, groups, numbers, measures, windows, flags,
-- images, seconds, the names of the groups, and the output tokens of last turns where any is set aside. A number is the limit, or the cell that a request took; a flag is 1 where the
-- counter begins with the ledger, 2 where a request that ends joins it, and 3 where both is so.
rules = {}
local STEP_BACK_MS = 120000
local CELLS_BEFORE = 60
local FIRST_MONDAY = 4 * 86400
local DAY_MS = 86400000
-- The measures that grow with each further round.
local GROWS = { tokens = true, input_tokens = true, output_tokens = true, usd = true }
local CELL_SECONDS = { second = 1, minute = 1, hour = 3600, day = 86400, week = 604800 }
-- Beyond the bounds that a gateway sends of a calendar, cells are as long as their unit may be.
local LONGEST_MS = { day = 25 * 3600000, week = 169 * 3600000, month = 31 * 86400000, quarter = 92 * 86400000 }
-- How long a counter is kept at the least, behind the beginning of a cell.
local KEPT_S = { [''] = 259200, second = 600, minute = 600, hour = 7200, day = 172800, week = 8 * 86400, month = 32 * 86400,
  quarter = 94 * 86400 }
local CELL = ';(%d+),(%d+),(%d+)'

-- The seconds without a request that end the window of a session; nil for other windows.
local IDLE_UNITS = { s = 1, m = 60, h = 3600 }
local function idleOf(per)
  local amount, unit = string.match(per, '^idle:(%d+)([smh])$')
  return amount and tonumber(amount) * IDLE_UNITS[unit]
end

-- Windows of days are kept so long that a counter that starts again from the ledger overlaps with nothing kept.
local function keptFor(per)
  local idle = idleOf(per)
  if idle then return idle + KEPT_S[''] end
  return KEPT_S[per] or KEPT_S[string.match(per, '^%a+')] or (tonumber(string.match(per, '^%d+')) + 5) * 86400
end

local function monthAt(now)
  local z = math.floor(now / DAY_MS) + 719468
  local era = math.floor(z / 146097)
  local day = z - era * 146097
  local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) - math.floor(day / 146096)) / 365)
  local month = math.floor((5 * (day - (365 * year + math.floor(year / 4) - math.floor(year / 100))) + 2) / 153)
  -- March is its first month.
  return (year + era * 400) * 12 + month + 2
end

local function monthStart(index)
  local year, month = math.floor((index - 2) / 12), (index - 2) % 12
  local era = math.floor(year / 400)
  local inEra = year - era * 400
  local day = inEra * 365 + math.floor(inEra / 4) - math.floor(inEra / 100) + math.floor((153 * month + 2) / 5)
  return (era * 146097 + day - 719468) * DAY_MS
end

-- Lua knows no time zones: a gateway sends the beginnings of the cells around its present, `day@Europe:Berlin 20400 …`.
local function startIn(w, index)
  local starts, place = w.starts, index - w.first + 1
  if place < 1 then return starts[1] + (place - 1) * w.longest end
  if place > #starts then return starts[#starts] + (place - #starts) * w.longest end
  return starts[place]
end

local function cellStart(w, index)
  if w.per == '' then return 0 end
  if w.idle then return math.floor(index / 2) * 1000 end
  if w.starts then return startIn(w, index) end
  if w.per == 'month' then return monthStart(index) end
  return (index * w.seconds + w.from) * 1000
end

local function cellEnd(w, index)
  if w.idle then return (math.floor(index / 2) + w.idle + 1) * 1000 end
  return cellStart(w, index + 1 + (w.slides and CELLS_BEFORE or 0))
end

-- A window of a calendar: the first of its cells that the caller knows, and where each of them begins.
local function calendarWindow(per, first, bounds, now)
  local w = { per = per, now = now, slides = false, first = first, starts = {}, nothing = '-1,0,0,0',
    longest = LONGEST_MS[string.match(per, '^%a+')] }
  for start in string.gmatch(bounds, '%-?%d+') do w.starts[#w.starts + 1] = tonumber(start) end
  local clock = first + math.min(0, math.floor((now - w.starts[1]) / w.longest))
  for place = 2, #w.starts do
    if w.starts[place] <= now then clock = first + place - 1 end
  end
  local last = #w.starts
  if w.starts[last] <= now then clock = first + last - 1 + math.floor((now - w.starts[last]) / w.longest) end
  w.clock, w.oldest = clock, clock
  return w
end

-- For each window: whether it slides, and the current cell.
local windows = {}
local function windowOf(per, now)
  local w = windows[per]
  -- In a group of calls, buckets may differ in their clocks.
  if w and w.now == now then return w end
  local name, first, bounds = string.match(per, '^(%S+) (%d+) (.+)$')
  if name then
    w = calendarWindow(name, tonumber(first), bounds, now)
    windows[per] = w
    return w
  end
  local days = tonumber(string.match(per, '^(%d+)d$'))
  w = { per = per, now = now, slides = per == 'minute' or days ~= nil, from = per == 'week' and FIRST_MONDAY or 0,
    seconds = days and days * 1440 or CELL_SECONDS[per], idle = idleOf(per) }
  w.nothing = w.slides and '-1,0,0,0,0,0' or '-1,0,0,0'
  if per == '' then
    w.clock = 0
  elseif per == 'month' then
    w.clock = monthAt(now)
  elseif w.idle then
    w.clock = 2 * math.floor(now / 1000)
  else
    w.clock = math.floor((math.floor(now / 1000) - w.from) / w.seconds)
  end
  w.oldest = w.slides and w.clock - CELLS_BEFORE or w.clock
  windows[per] = w
  return w
end

function rules.pieces(text)
  local images, seconds = string.match(text, '^(%S+) (%S+)$')
  return tonumber(images) or 0, tonumber(seconds) or 0
end

-- Reads the stored counters, in order, with one call per group.
local function headsOf(fields, groups, first)
  local names, read, heads = {}, {}, {}
  for i = 1, #fields do
    local group = groups[i]
    local list = names[group]
    if not list then
      list = {}
      names[group] = list
    end
    list[#list + 1] = fields[i]
  end
  for group, list in pairs(names) do read[group], names[group] = redis.call('HMGET', KEYS[first + group], unpack(list)), 0 end
  for i = 1, #fields do
    local group = groups[i]
    local at = names[group] + 1
    names[group], heads[i] = at, read[group][at]
  end
  return heads
end

-- Reads the counters that the caller names. One call of cjson decodes the numbers of all: matching them one by one takes five
-- times as long.
function rules.read(asked, now)
  local fields, groups, numbers, measures, pers, flags = unpack(asked, 1, 6)
  local first, list, texts = #KEYS - #asked[9], {}, {}
  local heads = headsOf(fields, groups, first)
  for i = 1, #fields do
    local w, head = windowOf(pers[i], now), heads[i]
    texts[i] = head and head ~= '' and head or w.nothing
    -- Exactly sixteen fields: Lua would copy the table to add one more.
    list[i] = { key = KEYS[first + groups[i]], field = fields[i], amount = numbers[i], measure = measures[i], w = w,
      head = head, newest = false, used = 0, held = 0, from = false, usedBefore = 0, heldBefore = 0, isCurrent = false,
      index = 0, usedNow = 0, heldNow = 0 }
  end
  local all, at = cjson.decode('[' .. table.concat(texts, ',') .. ']'), 1
  for i = 1, #list do
    local c = list[i]
    local w, newest, from = c.w, all[at], all[at + 3]
    if newest >= 0 then c.newest, c.used, c.held = newest, all[at + 1], all[at + 2] end
    c.isCurrent = newest == w.clock and not w.idle and (from == 0 or from == w.oldest)
    if from > 0 then c.from = from end
    if w.slides then
      if from > 0 then c.usedBefore, c.heldBefore = all[at + 4], all[at + 5] end
      at = at + 6
    else
      at = at + 4
    end
  end
  list.flags, list.images, list.seconds, list.lastTurns = flags, asked[7], asked[8], asked[10]
  return list
end

-- Reads the counters that a request was admitted to. Further rounds move its cells. A gateway that missed an answer knows the
-- earlier cells; the ones kept with the hold are right.
function rules.readTaken(text, hold, key, now)
  local asked = cjson.decode(text)
  if hold and hold.round > 0 then
    local moved = rules.keptCells(key)
    for i = 1, #asked[1] do
      asked[3][i] = moved[asked[9][asked[2][i]] .. ' ' .. asked[1][i]] or asked[3][i]
    end
  end
  return rules.read(asked, now)
end

-- The cells kept with a hold, by the groups and fields of their counters.
function rules.keptCells(key)
  local kept, cells, at = redis.call('HMGET', key, 'rules', 'cells'), {}, 0
  if (kept[1] or '') == '' then return cells end
  local names = cjson.decode(kept[1])
  for cell in string.gmatch(kept[2], '[^;]+') do
    at = at + 1
    cells[names[9][names[2][at]] .. ' ' .. names[1][at]] = tonumber(string.match(cell, '^%d+'))
  end
  return cells
end

-- The only cell of a session: src/policy/limits/session-cell.ts has its index.
local function isAlive(c, current)
  return c.newest and (c.held > 0 or math.floor(current / 2) - math.floor(c.newest / 2) <= c.w.idle)
end

-- A session that goes on in a second keeps whether its last turn was granted.
local function currentSession(c)
  if not isAlive(c, c.w.clock) then return c.w.clock end
  return 2 * math.max(c.w.clock / 2, math.floor(c.newest / 2)) + c.newest % 2
end

local function addToSession(c, index, used, held, current)
  if not isAlive(c, current) then c.newest, c.used, c.held = 0, 0, 0 end
  c.newest = 2 * math.max(math.floor(current / 2), math.floor(c.newest / 2)) + math.max(c.newest % 2, index % 2)
  c.used, c.held = math.max(0, c.used + used), math.max(0, c.held + held)
end

local function oldestAt(w, index) return w.slides and index - CELLS_BEFORE or index end

local function currentOf(c)
  if c.isCurrent then return c.newest end
  if c.w.idle then return currentSession(c) end
  local clock, newest = c.w.clock, c.newest
  if c.cells then newest = #c.cells > 0 and c.cells[#c.cells][1] or nil end
  if not newest or newest <= clock or cellStart(c.w, newest) - c.w.now > STEP_BACK_MS then return clock end
  return newest
end

-- The cells before the newest one, as text.
local function olderOf(c)
  if not c.older then
    c.older = c.from and redis.call('HGET', c.key, '~' .. c.field) or ''
    c.wasOlder = c.older
  end
  return c.older
end

-- All cells as a list, for rare operations.
local function cellsOf(c)
  if c.cells then return c.cells end
  local cells = {}
  for index, used, held in string.gmatch(olderOf(c), CELL) do
    cells[#cells + 1] = { tonumber(index), tonumber(used), tonumber(held) }
  end
  if c.newest then cells[#cells + 1] = { c.newest, c.used, c.held } end
  return cells
end

-- True if the newest cell counts at this moment and the sum of the older ones is not from a later one.
local function isPlain(c, oldest, current)
  return not c.cells and c.newest and c.newest <= current and c.newest >= oldest and not (c.from and c.from > oldest)
end

-- Drops older cells that no longer count, except those with a reservation.
local function dropBefore(c, oldest)
  if not c.from or c.from >= oldest then return end
  local older, kept, at = olderOf(c), '', 1
  while true do
    local _, last, index, used, held = string.find(older, '^' .. CELL, at)
    index = tonumber(index)
    if not last or index >= oldest then break end
    if index >= c.from then
      c.usedBefore, c.heldBefore = c.usedBefore - tonumber(used), c.heldBefore - tonumber(held)
    end
    if held ~= '0' then kept = kept .. string.sub(older, at, last) end
    at = last + 1
  end
  c.from, c.older = oldest, at == 1 and older or kept .. string.sub(older, at)
end

-- Reads what counts while `current` is the current cell.
local function readAt(c, current)
  if c.isCurrent and current == c.newest then return c.used + c.usedBefore, c.held + c.heldBefore end
  if c.w.idle then
    if isAlive(c, current) then return c.used, c.held end
    return 0, 0
  end
  local oldest = oldestAt(c.w, current)
  if isPlain(c, oldest, current) then
    dropBefore(c, oldest)
    return c.used + c.usedBefore, c.held + c.heldBefore
  end
  local used, held = 0, 0
  for _, cell in ipairs(cellsOf(c)) do
    if cell[1] >= oldest and cell[1] <= current then used, held = used + cell[2], held + cell[3] end
  end
  return used, held
end

-- Adds to an older cell; false if that cell does not exist.
local function addToOlder(c, index, used, held, oldest)
  local older, name = olderOf(c), ';' .. digits(index) .. ','
  local at = string.find(older, name, 1, true)
  if not at then return false end
  local _, last, usedNow, heldNow = string.find(older, '^(%d+),(%d+)', at + #name)
  usedNow, heldNow = tonumber(usedNow), tonumber(heldNow)
  local usedAfter, heldAfter = math.max(0, usedNow + used), math.max(0, heldNow + held)
  if index >= c.from then
    c.usedBefore, c.heldBefore = c.usedBefore + usedAfter - usedNow, c.heldBefore + heldAfter - heldNow
  end
  local text = (index >= oldest or heldAfter > 0) and string.format('%s%d,%d', name, usedAfter, heldAfter) or ''
  c.older = string.sub(older, 1, at - 1) .. text .. string.sub(older, last + 1)
  return true
end

-- The cells after one changed, without those that no longer count.
local function addedTo(cells, index, used, held, current, oldest)
  local after, isAdded = {}, false
  local function add(cell)
    if cell[1] <= current and (cell[1] >= oldest or cell[3] > 0) then after[#after + 1] = cell end
  end
  for _, cell in ipairs(cells) do
    if not isAdded and cell[1] >= index then
      isAdded = true
      if cell[1] == index then
        cell = { index, math.max(0, cell[2] + used), math.max(0, cell[3] + held) }
      else
        add({ index, math.max(0, used), math.max(0, held) })
      end
    end
    add(cell)
  end
  if not isAdded then add({ index, math.max(0, used), math.max(0, held) }) end
  return after
end

-- Changes one cell while `current` is the current one.
local function addToCell(c, index, used, held, current)
  if c.isCurrent and index == current and index == c.newest then
    c.used, c.held = math.max(0, c.used + used), math.max(0, c.held + held)
    return
  end
  if c.w.idle then return addToSession(c, index, used, held, current) end
  local oldest = oldestAt(c.w, current)
  if isPlain(c, oldest, current) then
    dropBefore(c, oldest)
    if index == c.newest then
      c.used, c.held = math.max(0, c.used + used), math.max(0, c.held + held)
      return
    end
    if index > current then return end
    if index > c.newest then
      c.older = string.format('%s;%d,%d,%d', olderOf(c), c.newest, c.used, c.held)
      c.usedBefore, c.heldBefore = c.used + c.usedBefore, c.held + c.heldBefore
      c.from = c.from or oldest
      c.newest, c.used, c.held, c.isCurrent = index, math.max(0, used), math.max(0, held), false
      return
    end
    if c.from and addToOlder(c, index, used, held, oldest) then return end
  end
  c.cells, c.oldest, c.isCurrent = addedTo(cellsOf(c), index, used, held, current, oldest), oldest, false
end

-- The newest cell and the older ones, in their stored form.
local function textsOf(c)
  local cells = c.cells
  if cells then
    local last, older, used, held = cells[#cells], {}, 0, 0
    if not last then return '', '' end
    for i = 1, #cells - 1 do
      local cell = cells[i]
      older[i] = string.format(';%d,%d,%d', cell[1], cell[2], cell[3])
      if cell[1] >= c.oldest then used, held = used + cell[2], held + cell[3] end
    end
    c.newest, c.used, c.held, c.usedBefore, c.heldBefore, c.from = last[1], last[2], last[3], used, held, c.oldest
    c.older, c.cells = table.concat(older), nil
  end
  if not c.newest then return '', '' end
  local from = c.older ~= '' and c.from or 0
  if not c.w.slides then return string.format('%d,%d,%d,%d', c.newest, c.used, c.held, from), c.older end
  return string.format('%d,%d,%d,%d,%d,%d', c.newest, c.used, c.held, from, c.usedBefore, c.heldBefore), c.older
end

-- Clients choose the ids of sessions. An account that invents too many loses the counters of its own that were asked longest ago.
local MOST_SESSIONS, KEPT_SESSIONS = 1000, 900
local function dropCrowded(key)
  if redis.call('HLEN', key) <= MOST_SESSIONS then return end
  local all, free = redis.call('HGETALL', key), {}
  for i = 1, #all, 2 do
    local index, held = string.match(all[i + 1], '^(%d+),%d+,(%d+)')
    if held == '0' then free[#free + 1] = { all[i], math.floor(tonumber(index) / 2) } end
  end
  table.sort(free, function(one, other)
    if one[2] ~= other[2] then return one[2] < other[2] end
    return one[1] < other[1]
  end)
  for i = 1, math.min(#free, #all / 2 - KEPT_SESSIONS) do redis.call('HDEL', key, free[i][1]) end
end

-- Writes counters with one call per group. A group lives as long as any of its windows may count.
function rules.write(list)
  local changes, kept, sessions, last, change, count = {}, {}, {}, nil, nil, 0
  for i = 1, #list do
    local c = list[i]
    local head, older = textsOf(c)
    -- A request that ends in an earlier window starts no counter.
    if (head ~= c.head or older ~= c.wasOlder) and (c.head or head ~= '') then
      local key = c.key
      if key ~= last then
        last, change = key, changes[key] or {}
        changes[key], count = change, #change
      end
      change[count + 1], change[count + 2] = c.field, head
      count = count + 2
      if older ~= c.wasOlder then
        change[count + 1], change[count + 2] = '~' .. c.field, older
        count = count + 2
      end
      if c.w.idle and not c.head then sessions[key] = true end
      if not c.head or c.begins then
        local longest = kept[key]
        if not longest or keptFor(longest) < keptFor(c.w.per) then kept[key] = c.w.per end
      end
    end
  end
  for key, change in pairs(changes) do redis.call('HSET', key, unpack(change)) end
  for key, per in pairs(kept) do rules.keep(key, per) end
  for key in pairs(sessions) do dropCrowded(key) end
end

-- Keeps a group for at least this long after a cell begins.
function rules.keep(key, per)
  local seconds = keptFor(per)
  if redis.call('TTL', key) < seconds then redis.call('EXPIRE', key, 2 * seconds) end
end

-- The amount of each measure that a request takes. It counts as one when it is admitted, and runs until it is settled.
local function amountsOf(input, output, images, seconds, cost, requests, concurrent)
  return { requests = requests, concurrent = concurrent, tokens = input + output, input_tokens = input,
    output_tokens = output, images = images, seconds = seconds, usd = cost }
end

local function heldAmounts(weight)
  local w = readWeight(weight)
  return amountsOf(w.input, w.output, w.images, w.seconds, w.cost, 0, 1)
end

-- Reads the counters of claims. Returns the indexes of those that must be started from the ledger first.
function rules.look(list)
  local missing
  for i = 1, #list do
    local c = list[i]
    if list.flags[i] == 1 and not c.head then
      missing = missing or {}
      missing[#missing + 1] = digits(i)
    end
    if c.isCurrent then
      c.index, c.usedNow, c.heldNow = c.newest, c.used + c.usedBefore, c.held + c.heldBefore
    else
      c.index = currentOf(c)
      c.usedNow, c.heldNow = readAt(c, c.index)
    end
  end
  return missing
end

-- How long until enough of the oldest cells have left the window to free `over` units.
local function waitFor(c, over)
  if c.w.idle then return math.max(1, cellEnd(c.w, isAlive(c, c.index) and c.newest or c.index) - c.w.now) end
  local oldest = oldestAt(c.w, c.index)
  for _, cell in ipairs(cellsOf(c)) do
    if cell[1] >= oldest and cell[1] <= c.index then
      over = over - cell[2] - cell[3]
      if over <= 0 then return math.max(1, cellEnd(c.w, cell[1]) - c.w.now) end
    end
  end
  return math.max(1, cellEnd(c.w, c.index) - c.w.now)
end

-- Claims whose answer is bounded where the request is the last turn of its session, and no room for others in what is set aside:
-- src/policy/counters/session-turn.ts.
function rules.turns(list, c, costOf)
  if not list.lastTurns then return c end
  local function amountIn(measure, output)
    return amountsOf(c.input, output, list.images, list.seconds, costOf(c, c.input, output), 1, 1)[measure]
  end
  local bound
  for i = 1, #list do
    local counter, turn = list[i], list.lastTurns[i]
    if turn > 0 then
      local own = math.max(1, math.floor(turn / c.choices))
      local aside = amountIn(counter.measure, own * c.choices)
      if counter.index % 2 == 1 then
        counter.amount = 0
      elseif c.want == 0 or counter.usedNow + amountIn(counter.measure, c.min * c.choices) + aside <= counter.amount then
        counter.amount = counter.amount - aside
      else
        counter.isLast, bound = true, math.min(bound or own, own)
      end
    end
  end
  if not bound then return c end
  local bounded = {}
  for name, value in pairs(c) do bounded[name] = value end
  bounded.want, bounded.min = math.min(c.want, bound), math.min(c.min, bound)
  return bounded
end

-- Considers the refusal of each rule. Returns the index of the first that waits for running requests rather than for time.
function rules.judge(list, claims, leastOutput, worst, consider)
  local least = amountsOf(claims.input, leastOutput, list.images, list.seconds, worst, 1, 1)
  local held
  for i = 1, #list do
    local c = list[i]
    local over = c.usedNow + c.heldNow + least[c.measure] - c.amount
    if over > 0 then
      local per = c.w.per
      if per == '' or (over <= c.heldNow and per ~= 'second' and per ~= 'minute') then
        held = held or i
      else
        consider('rule', waitFor(c, over), i)
      end
    end
  end
  return held
end

-- How many output tokens the rules leave.
function rules.grant(list, claims, byTokens, bySpend, outputWithin)
  for i = 1, #list do
    local c = list[i]
    local left = c.amount - c.usedNow - c.heldNow
    if c.measure == 'tokens' then
      byTokens = math.min(byTokens, left - claims.input)
    elseif c.measure == 'output_tokens' then
      byTokens = math.min(byTokens, left)
    elseif c.measure == 'usd' then
      bySpend = math.min(bySpend, outputWithin(claims, claims.input, left))
    end
  end
  return byTokens, bySpend
end

-- The readings: `index,used,held` each, or the newest cell as stored if it includes the sum of the older ones.
function rules.sums(list)
  local texts = {}
  for i = 1, #list do
    local c = list[i]
    texts[i] = c.isCurrent and c.head or string.format('%d,%d,%d', c.index, c.usedNow, c.heldNow)
  end
  return table.concat(texts, ';')
end

-- The readings with all cells, one line each. Cells that do not count may be among them.
function rules.cells(list)
  local lines = {}
  for i = 1, #list do
    local c = list[i]
    local line = { digits(c.index) }
    for _, cell in ipairs(cellsOf(c)) do line[#line + 1] = string.format('%d,%d,%d', cell[1], cell[2], cell[3]) end
    lines[i] = table.concat(line, ';')
  end
  return table.concat(lines, '\n')
end

-- Counts an admitted request with its hold. Returns its weight, and its cells where it is the last turn of a session.
function rules.take(list, claims, granted)
  local weight = weightText({ input = claims.input, output = granted.tokens - claims.input, images = list.images,
    seconds = list.seconds, cost = granted.cost })
  local amounts, cells = heldAmounts(weight), nil
  for i = 1, #list do
    if list[i].isLast then list[i].index, cells = list[i].index + 1, '' end
  end
  if cells then cells = rules.sums(list) end
  for i = 1, #list do
    local c = list[i]
    local used, held = c.measure == 'requests' and 1 or 0, amounts[c.measure]
    if c.newest ~= c.index or c.w.per == '' then c.begins = true end
    if c.isCurrent then c.used, c.held = c.used + used, c.held + held else addToCell(c, c.index, used, held, c.index) end
  end
  rules.write(list)
  return weight, cells
end

-- Whether a request was granted the last turn of its session.
local function hasLastTurn(c) return c.w.idle and c.amount % 2 == 1 end

-- Opens a session again. The request of the turn no longer counts as one, or a limit of requests would refuse the next.
local function giveTurnBack(c)
  if not c.newest or c.newest % 2 == 0 then return end
  c.newest = c.newest - 1
  if c.measure == 'requests' then c.used = math.max(0, c.used - 1) end
end

-- Closes a session whose turn was given back too early. Other measures are closed by the change of their amounts.
local function takeTurnAgain(c)
  if c.measure ~= 'requests' then return end
  local current = currentOf(c)
  if isAlive(c, current) and c.newest % 2 == 0 then addToCell(c, c.amount, 1, 0, current) end
end

-- A session's last turn is used up only by a request that is charged.
local function settleTurn(c, charged)
  if not hasLastTurn(c) then return end
  if charged.tokens + charged.images + charged.seconds + charged.usd > 0 then takeTurnAgain(c) else giveTurnBack(c) end
end

-- Ends a hold of a given weight at a charge, in counters that the caller writes. Without a weight, a request that holds nothing any more weighs its charge,
-- perhaps after an earlier charge. With its first charge it may join counters that were added while it ran.
function rules.settle(list, weight, charge, was, joins)
  local function amounts(of, requests)
    return amountsOf(of.input, of.tokens - of.input, of.images or 0, of.seconds or 0, of.cost, requests or 0, 0)
  end
  local charged, before, held = amounts(charge, charge.requests), amounts(was), weight and heldAmounts(weight)
  for i = 1, #list do
    local c, flag = list[i], list.flags[i] or 0
    if flag > 1 then
      if joins and (flag == 2 or c.head) then addToCell(c, c.amount, amounts(charge, 1)[c.measure], 0, currentOf(c)) end
    else
      if c.measure ~= 'requests' or charged.requests ~= 0 then
        addToCell(c, c.amount, charged[c.measure] - before[c.measure], held and -held[c.measure] or 0, currentOf(c))
      end
      settleTurn(c, charged)
    end
  end
end

-- Counts a running request again, with a hold of its weight.
function rules.adopt(list, weight)
  local held = heldAmounts(weight)
  for i = 1, #list do
    local c = list[i]
    addToCell(c, c.amount, c.measure == 'requests' and 1 or 0, held[c.measure], currentOf(c))
  end
  rules.write(list)
end

-- Restores the hold of an orphan that still runs; it was counted as a request before, which does not renew the count of a session.
function rules.resume(list, weight)
  local held = heldAmounts(weight)
  for i = 1, #list do
    local c = list[i]
    if c.measure ~= 'requests' then addToCell(c, c.amount, 0, held[c.measure], currentOf(c)) end
    if hasLastTurn(c) then takeTurnAgain(c) end
  end
  rules.write(list)
end

-- The rest of a weight after a charge.
function rules.weightWithout(weight, charge)
  local w = readWeight(weight)
  local function less(name, part) w[name] = math.max(0, w[name] - part) end
  less('input', charge.input)
  less('output', charge.tokens - charge.input)
  less('images', charge.images)
  less('seconds', charge.seconds)
  less('cost', charge.cost)
  return weightText(w)
end

-- Moves a hold from one cell to another, or changes it within one.
local function moveTo(c, from, to, was, is, current)
  if from == to or c.w.idle then
    addToCell(c, to, 0, is - was, current)
  else
    addToCell(c, from, 0, -was, current)
    addToCell(c, to, 0, is, current)
  end
end

-- Reads the counters of claims before another round of a request is judged: what it spent replaces what it holds. A calendar
-- window is the one of its admission; in a sliding window, the whole request counts from this round on.
function rules.lookAgain(list, taken, weight, spent)
  local held = weight ~= '' and heldAmounts(weight)
  local after = amountsOf(spent.input, spent.tokens - spent.input, 0, 0, spent.cost, 0, 1)
  for i = 1, #list do
    local c, own = list[i], nil
    for j = 1, #taken do
      if taken[j].field == c.field and taken[j].key == c.key then own = taken[j] end
    end
    c.index = currentOf(c)
    if own and held then
      if not c.w.slides then c.index = own.amount end
      moveTo(c, own.amount, c.index, held[c.measure], after[c.measure], math.max(c.index, own.amount))
    end
    c.usedNow, c.heldNow = readAt(c, c.index)
  end
end

-- Changes the hold of a request. It counts in the present of windows that slide, or in `places` where given.
-- Answers what it weighs now, and its cells.
function rules.extend(taken, weight, spent, claims, granted, places)
  local weighs = readWeight(weight)
  weighs.input = spent.input + claims.input
  weighs.output = spent.tokens - spent.input + granted.tokens - claims.input
  weighs.cost = spent.cost + granted.cost
  local after = weightText(weighs)
  local was, is = heldAmounts(weight), heldAmounts(after)
  local cells = {}
  for i = 1, #taken do
    local c = taken[i]
    local to = c.amount
    -- A request counts as one when it is admitted, so its counter stays unchanged.
    if c.measure ~= 'requests' then
      local current = currentOf(c)
      if places then to = places[i] elseif c.w.slides and GROWS[c.measure] then to = current end
      if c.newest ~= to then c.begins = true end
      moveTo(c, c.amount, to, was[c.measure], is[c.measure], current)
    end
    cells[i] = digits(to)
  end
  rules.write(taken)
  return after, table.concat(cells, ';')
end
