-- Gives back the room of deleted responses, and returns how much is in use.
-- KEYS 2 ends  3 bytes
-- ARGV 3… their names
if wiped() then return { 'wiped' } end
giveBackEnded()
for at = 3, #ARGV do giveBack(ARGV[at]) end
return { 'given', digits(sum()) }
