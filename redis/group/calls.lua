-- A group runs several calls of one script, one after the other. Each finds its own keys and values in these locals.
local KEYS, ARGV = KEYS, ARGV
