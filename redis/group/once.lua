-- All calls of a group happen at one moment: each bucket is asked once for its epoch and its clock.
-- `changes` are what the present call changes in sums that the group keeps; they count once the call has succeeded.
-- `ends` write those sums, and `failures` have the error of each call whose sums Redis refused. `present` is the number of the call.
local changes, ends, failures, present = {}, {}, {}, 0
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

-- Writes sums of calls. Sums that Redis refuses fail their own calls, and the group goes on.
local function writeSums(calls, write)
  local isDone, thrown = pcall(write)
  if isDone then return end
  for i = 1, #calls do failures[calls[i]] = thrown end
end
