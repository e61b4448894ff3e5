-- All calls of a group happen at one moment: each bucket is asked once for its epoch and its clock.
-- `changes` are what the present call changes in sums that the group keeps; they count once the call has succeeded.
-- `ends` write those sums.
local changes, ends = {}, {}
local askWiped, askClock, wipedIn, clockIn = wiped, clock, {}, {}

local function wiped()
  -- A gateway may learn of a newer schema step between two calls of a turn.
  local asked = KEYS[1] .. ' ' .. ARGV[1]
  if wipedIn[asked] == nil then wipedIn[asked] = askWiped() end
  return wipedIn[asked]
end

local function clock()
  if ARGV[2] ~= '' then return tonumber(ARGV[2]) end
  local epoch = KEYS[1]
  if not clockIn[epoch] then clockIn[epoch] = askClock() end
  return clockIn[epoch]
end
