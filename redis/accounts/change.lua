-- Changes an account, or an org, if no other client did meanwhile; a sign-in may begin an account.
-- KEYS 2 account or org  3 audit
-- ARGV 3 account  4 terms before, '' for a new account  5 terms after  6 label, '' to keep it
--      7 who, '' for no audit  8 action  9 before  10 after, as people read them  11 when its token was issued, '' for none
--      12 kind of a new one that is no account  13 the change before this one, '' for none  14 this change, '' for no name: a
--      change that is repeated after others is known by them, even where they led back to the same terms  15 invitation  16 sign-ins
--      that joined: both '' to have none, and not there where they stay  17 where notices go, after these two; not there where it stays
if wiped() then return { 'wiped' } end
local kept = redis.call('HMGET', KEYS[2], 'terms', 'change')
local terms, last = kept[1], kept[2] or ''
-- A gateway repeats this call after a failover, and the change was already made.
if last ~= '' and last == ARGV[14] then return { 'known' } end
if (terms or '') ~= ARGV[4] or last ~= ARGV[13] then return { 'changed' } end
local now = clock()
if not terms and ARGV[12] ~= '' then
  redis.call('HSET', KEYS[2], 'kind', ARGV[12], 'created', now)
elseif not terms then
  redis.call('HSET', KEYS[2], 'kind', 'developer', 'key', '', 'created', now)
end
redis.call('HSET', KEYS[2], 'terms', ARGV[5], 'change', ARGV[14])
if ARGV[6] ~= '' then redis.call('HSET', KEYS[2], 'label', ARGV[6]) end
if ARGV[11] ~= '' then redis.call('HSET', KEYS[2], 'believed', ARGV[11]) end
if ARGV[16] then
  redis.call('HSET', KEYS[2], 'invitation', ARGV[15], 'sign-ins', ARGV[16])
end
if ARGV[17] then redis.call('HSET', KEYS[2], 'contacts', ARGV[17]) end
audit(KEYS[3], now, ARGV[7], ARGV[8], ARGV[3], ARGV[9], ARGV[10])
return { 'done' }
