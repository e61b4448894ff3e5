-- Generated from src/records/audit.ts by scripts/generate.js. Do not edit.
-- Scripts that change keys and accounts begin with this.
local function audit(key, at, by, action, account, before, after)
  if by ~= '' then
    redis.call('XADD', key, '*', 'at', at, 'by', by, 'action', action, 'account', account, 'before', before, 'after', after)
  end
end
