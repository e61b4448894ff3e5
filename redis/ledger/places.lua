-- Generated from src/adapters/redis/row-text.ts by scripts/generate.js. Do not edit.
-- The place of each field in the rest of a ledger row, which is a JSON array.
local ASKED = 1
local POOL = 2
local ESTIMATED = 3
local ADMITTED_AT = 4
local REVISION = 5
local RULE = 6
local CAUSE = 7
local TOOLS = 8
local CACHED_TOKENS = 9
local CACHE_WRITE_TOKENS = 10
local KEY = 11
local TOOL_COSTS = 12
local CHARGES = 13
local LABELS = 14
local SESSION = 15
local SAVED = 16
local DAY = 17
local MIRROR = 18
