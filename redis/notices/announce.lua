-- Writes down limits whose use reached a threshold: crossedBy in src/policy/notices.ts, in the step that settles the request.
-- The limits come as JSON, each as `[counter, cell, end, name, [[percent, use], …], about]`, the thresholds ascending. The
-- counter is `spend`, `day` or the place of a rule; `about` is JSON that readers of the notice get.
-- The highest threshold that was announced is kept beside the counter until its window has ended, so that each is announced
-- once over all gateways. Rows wait in the hash `notices` of the bucket of the script until a gateway takes them.
local ROWS_MOST = 4096
local MARK_KEPT_MS = 86400000

-- The names of the bucket of a key begin with this.
local function bucketOf(key) return string.match(key, '^(.-{%x%x}:)') end

local function announceOne(found, key, used, watch, now)
  local percent = 0
  for _, threshold in ipairs(watch[5]) do
    if used >= threshold[2] then percent = threshold[1] end
  end
  if percent == 0 then return end
  local name, ends = watch[4], watch[3]
  local mark = bucketOf(key) .. 'noticed:' .. name
  local before = number(redis.call('GET', mark))
  if percent <= before then return end
  local rows = bucketOf(KEYS[1]) .. 'notices'
  -- A threshold that finds no room is announced by a later settlement.
  if redis.call('HLEN', rows) + #found >= ROWS_MOST then return end
  found[#found + 1] = function()
    redis.call('SET', mark, digits(percent), 'PX', digits(math.max(0, ends - now) + MARK_KEPT_MS))
    redis.call('HSET', rows, name .. ' ' .. digits(percent),
      string.format('%d %d %d %d %d %s', percent, before, used, now, ends, watch[6]))
  end
end

-- Reads what was announced, and returns the function that writes the rest down: a broken record fails a call before it changes
-- anything. `counted` gives the key of a counter, and its use in a cell; nil where the cell counts no more.
local function announcing(text, counted, now)
  local found = {}
  if text and text ~= '' then
    for _, watch in ipairs(cjson.decode(text)) do
      local key, used = counted(watch[1], watch[2])
      if used then announceOne(found, key, used, watch, now) end
    end
  end
  return function()
    for i = 1, #found do found[i]() end
  end
end

-- The key of a rule's counter, and its use in the cell of the request, which is its newest where that still counts.
local function countedByRule(taken, place, cell)
  local c = taken and taken[place]
  if c and c.newest == cell then return c.key, c.used end
end
