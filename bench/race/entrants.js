// The properties of each contender, as its own documentation describes them and as the race configures it.
import { contenderNames } from '../compare/contenders.js'

const { gateway, redis, bare, httpProxy, nginx, portkey, vllmRouter, sglangRouter, litellm } = contenderNames

const NOTHING = { keys: 'none', limits: 'none', ledger: 'none' }
const ROUTER = { does: 'picks a replica', ...NOTHING }

/** Each contender by its name: its work for a request, whose keys it checks, its limits and its ledger. */
export const ENTRANTS = {
  [nginx]: { does: 'passes bytes on', ...NOTHING },
  [bare]: { does: 'passes bytes on', ...NOTHING },
  [httpProxy]: { does: 'passes bytes on', ...NOTHING },
  [vllmRouter]: ROUTER,
  [sglangRouter]: ROUTER,
  [gateway]: {
    does: 'plan, route, price, failover, decision log, metrics',
    keys: 'a key of each account',
    limits: 'five, exact',
    ledger: 'a row on the disk before the last byte',
  },
  [redis]: {
    does: 'the same, shared by several gateways',
    keys: 'a key of each account',
    limits: 'five, exact across gateways',
    ledger: 'a row in Redis before the last byte',
  },
  [portkey]: { does: 'translates between providers', ...NOTHING },
  [litellm]: { does: 'translates between providers', keys: 'one master key', limits: 'none', ledger: 'none' },
}
