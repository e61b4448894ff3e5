-- The life of keys: src/gateway/store/key-life.ts in Lua.
local KEYS_KEPT = 20

-- True if a key works at this moment.
local function works(status, expires, now)
  return status == 'active' and (not expires or now < tonumber(expires))
end

-- Counts the working keys in a list, and finds the hash of the one with this name that was not replaced. Hashes of ended keys
-- leave the list, except the newest ones.
local function workingKeys(list, prefix, name, now)
  local working, ended, named = 0, 0, nil
  for _, hash in ipairs(redis.call('LRANGE', list, 0, -1)) do
    local key = redis.call('HMGET', prefix .. hash, 'status', 'expires', 'name', 'replaced')
    if works(key[1], key[2], now) then
      working = working + 1
      if (key[3] or '') == name and not key[4] then named = hash end
    else
      ended = ended + 1
      if ended > KEYS_KEPT then redis.call('LREM', list, 1, hash) end
    end
  end
  return working, named
end

-- The ids by which limits count the working keys of a list: src/policy/limits/rule-claim.ts.
local function countedKeys(list, prefix, now)
  local counted = {}
  for _, hash in ipairs(redis.call('LRANGE', list, 0, -1)) do
    local key = redis.call('HMGET', prefix .. hash, 'status', 'expires', 'origin', 'id')
    -- A key of an older store derives its id from its hash.
    if works(key[1], key[2], now) then counted[key[3] or key[4] or 'key_' .. string.sub(hash, 1, 16)] = true end
  end
  return counted
end

-- Removes the counters of keys that no longer work: an account may create any number of keys. Holds in them are given back
-- first.
local function trimCounters(counters, list, prefix, now)
  local counted, old = nil, {}
  for _, field in ipairs(redis.call('HKEYS', counters)) do
    local key = string.match(field, '^[^~/]+/[^/]*/([^/]+)/')
    if key and key ~= 'sign-in' then
      counted = counted or countedKeys(list, prefix, now)
      if not counted[key] then
        local held, heldBefore = string.match(redis.call('HGET', counters, field), '^%d+,%d+,(%d+),%d+,?%d*,?(%d*)')
        if number(held) + number(heldBefore) == 0 then old[#old + 1] = field end
      end
    end
  end
  for i = 1, #old do redis.call('HDEL', counters, old[i], '~' .. old[i]) end
end

-- Writes a working key. Fields that are '' or false are left out.
local function writeKey(key, fields)
  local kept = {}
  for name, value in pairs(fields) do
    if value and value ~= '' then
      kept[#kept + 1] = name
      kept[#kept + 1] = value
    end
  end
  redis.call('HSET', key, 'status', 'active', unpack(kept))
end

-- How the audit names a key.
local function auditName(mask, name)
  return name and name ~= '' and mask .. ' ' .. name or mask
end

-- Ends a key at once.
local function revokeKey(key, hash, account, name, rows, by, at)
  redis.call('HSET', key, 'status', 'revoked')
  local whose = redis.call('HMGET', account, 'kind', 'key')
  -- A device keeps its only key, as a revoked one.
  if whose[1] ~= 'guest' and whose[2] == hash then redis.call('HSET', account, 'key', '') end
  local shown = redis.call('HMGET', key, 'mask', 'name')
  audit(rows, at, by, 'revoke', name, auditName(shown[1], shown[2]), '')
end

-- After a failover, gateways repeat their changes of a key in any order. A revocation that comes first leaves a mark in the
-- key's place, for longer than journals repeat anything.
local AHEAD_KEPT_MS = 900000

local function revokeAhead(key, by)
  redis.call('HSET', key, 'status', 'revoked', 'revoker', by)
  redis.call('PEXPIRE', key, AHEAD_KEPT_MS)
end

-- True if a key was made; else who revoked it before it was made.
local function madeOrRevoked(key)
  local kept = redis.call('HMGET', key, 'mask', 'revoker')
  return kept[1], not kept[1] and kept[2]
end

-- Revokes a key that was just made if its revocation came first.
local function endRevoked(revoker, key, ...)
  if not revoker then return end
  redis.call('HDEL', key, 'revoker')
  redis.call('PERSIST', key)
  revokeKey(key, ...)
end
