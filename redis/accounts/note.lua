-- Writes an audit row for a change that concerns no account.
-- KEYS 2 audit
-- ARGV 3 who  4 action  5 before  6 after, as people read them
if wiped() then return { 'wiped' } end
audit(KEYS[2], clock(), ARGV[3], ARGV[4], '', ARGV[5], ARGV[6])
return { 'done' }
