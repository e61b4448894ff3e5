-- The kept responses of one account. KEYS[2] is a hash of their heads by id, with the sum of bytes and the last number
-- under names that no id has. KEYS[3] has their ids by number, KEYS[4] `item number id`. A response itself is a text: its name is KEYS[5], id and account. ARGV[3] is the account.
local BYTES, LAST = ' bytes', ' last'

local function nameOf(id) return KEYS[5] .. id .. ' ' .. ARGV[3] end

-- Deletes a response; true if there was one that had not expired.
local function drop(id, now)
  local kept = redis.call('HGET', KEYS[2], id)
  if not kept then return false end
  local head = readHead(kept)
  for item in string.gmatch(head.items, '%S+') do redis.call('ZREM', KEYS[4], item .. ' ' .. head.place .. ' ' .. id) end
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[3], id)
  redis.call('DEL', nameOf(id))
  if redis.call('ZCARD', KEYS[3]) == 0 then redis.call('DEL', KEYS[2], KEYS[4])
  else redis.call('HINCRBY', KEYS[2], BYTES, digits(-head.bytes)) end
  return head.expiresAt > now
end
