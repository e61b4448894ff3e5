-- Deletes a response.
-- KEYS 2 kept  3 order  4 items  5 the beginning of names
-- ARGV 3 account  4 id
if wiped() then return { 'wiped' } end
if drop(ARGV[4], clock()) then return { 'deleted' } end
return { 'none' }
