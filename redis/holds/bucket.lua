-- Generated from src/adapters/redis/counter-texts.ts by scripts/generate.js. Do not edit.
-- A bucket of the minute is `second requests tokens` without blanks, in 10, 7 and 12 digits.
local SECONDS = 61
local WIDTH = 29
local TOKENS_MAX = 999999999999

local function bucketText(second, requests, tokens)
  return string.format('%010d%07d%012d', second, requests, tokens)
end

-- Numbers of the bucket that begins behind `at`.
local function secondAt(text, at) return tonumber(string.sub(text, at + 1, at + 10)) end
local function requestsAt(text, at) return tonumber(string.sub(text, at + 11, at + 17)) end
local function tokensAt(text, at) return tonumber(string.sub(text, at + 18, at + 29)) end
