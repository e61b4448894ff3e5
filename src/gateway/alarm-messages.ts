import type { IncidentName } from './incident-kinds.ts'

/**
 * The effect of an alarm on an incident. `opens`: it lasts until an alarm that `resolves` it. `happens`: it ends after
 * a while without another alarm. `note`: no operator is needed.
 */
export type AlarmMeaning =
  | { readonly opens: IncidentName }
  | { readonly resolves: IncidentName }
  | { readonly happens: IncidentName }
  | 'note'

const MEANINGS = {
  'the store is down': { opens: 'store-down' },
  'the store is back': { resolves: 'store-down' },
  'the store is unavailable': { happens: 'store-down' },
  'a part of the store is down': { opens: 'store-part-down' },
  'a part of the store is back': { resolves: 'store-part-down' },
  'the disk of the store is full: requests get 503 until it has room again': { opens: 'store-disk-full' },
  'the disk of the store is read-only: requests get 503 until it has room again': { opens: 'store-disk-full' },
  'the disk of the store has room again: requests are served': { resolves: 'store-disk-full' },
  'the journal of the store cannot be written: requests are settled without it': { happens: 'store-disk-full' },
  'no replica of Redis has the last change of a key or an account yet': { happens: 'store-risk' },
  'replicas of Redis are far behind: a failover may lose what they lack': { happens: 'store-risk' },
  'Redis does not say what its replicas have: all that it acknowledged is kept': { happens: 'store-risk' },
  'a server that took over does not take what Redis had acknowledged': { happens: 'store-risk' },
  'a server took over that lacked what Redis had acknowledged, and has it again': { happens: 'store-took-over' },
  'the journal of what Redis acknowledged cannot be removed': { happens: 'state-unreadable' },
  'the journal of what Redis acknowledged cannot be written': { happens: 'store-risk' },
  'the clock of Redis was set': { happens: 'clock-set' },
  'the clock of this machine was set': { happens: 'clock-set' },
  'settlements that wait for the store cannot be read': { happens: 'settlements-wait' },
  'a settlement cannot be written to the store and is kept in spool.refused.ndjson': { happens: 'settlements-wait' },
  'settlements that waited for the store were written to it': 'note',
  'the ledger could not be written': { happens: 'settlements-wait' },
  'the hourly cost of a pool could not be corrected': { happens: 'money-unrecorded' },
  'the cost of a failed attempt could not be recorded': { happens: 'money-unrecorded' },
  'the cost of a health check could not be recorded': { happens: 'money-unrecorded' },
  'output beyond a cap could not be recorded': { happens: 'money-unrecorded' },
  'limits that are new begin without what was used before': { happens: 'money-unrecorded' },
  'past requests could not be indexed': { happens: 'ledger-upkeep' },
  'old ledger rows could not be removed': { happens: 'ledger-upkeep' },
  'rows older than ledger.keep were removed, which no archive had taken': { happens: 'ledger-upkeep' },
  'reservations of gateways that died could not be settled': { happens: 'gateway-died' },
  'reservations of gateways that died were settled as of their last checkpoint': { happens: 'gateway-died' },
  'running requests could not renew their leases': { happens: 'store-down' },
  'running requests whose leases had run out are counted again': { happens: 'store-down' },
  'the archive of the ledger takes no rows; they stay in the store': { opens: 'archive-behind' },
  'the archive of the ledger takes rows again': { resolves: 'archive-behind' },
  'a target takes no notices; they wait': { opens: 'notices-wait' },
  'a mail server does not take notices for some addresses': 'note',
  'a target takes notices again': { resolves: 'notices-wait' },
  'this process no longer sends notices to a target': { resolves: 'notices-wait' },
  'a target keeps refusing a notice, which is now marked as failed': { happens: 'notices-wait' },
  'notices wait for their targets, and there is no room for more': { happens: 'notices-wait' },
  'a mail that confirms an address of a customer cannot be sent': { happens: 'notices-wait' },
  'the archive of the ledger could not be closed': { happens: 'state-unreadable' },
  'the decision log cannot be written: decisions are dropped, requests go on': { opens: 'decision-log-lost' },
  'the decision log is written again': { resolves: 'decision-log-lost' },
  'a decision could not be written to the decision log': { happens: 'decision-log-lost' },
  'metrics cannot be sent: the collector misses them, requests go on': { opens: 'telemetry-lost' },
  'metrics are sent again': { resolves: 'telemetry-lost' },
  'traces cannot be sent: spans are lost, requests go on': { opens: 'telemetry-lost' },
  'traces are sent again': { resolves: 'telemetry-lost' },
  'a pool cannot be used: are its address, key, model and account right?': { opens: 'pool-unusable' },
  'a pool can be used again': { resolves: 'pool-unusable' },
  'a canary is stopped: its pool is drained': { opens: 'canary-stopped' },
  'a canary is no longer stopped': { resolves: 'canary-stopped' },
  'a canary cannot be compared': { happens: 'gateway-fault' },
  'a copy of a request could not be sent': { happens: 'gateway-fault' },
  'the cost of a copy could not be recorded': { happens: 'gateway-fault' },
  'a replica is ejected': { opens: 'replica-ejected' },
  'a replica is back': { resolves: 'replica-ejected' },
  'the load of a replica cannot be read; the gateway goes by its own counts': { opens: 'load-unread' },
  'the load of a replica is read again': { resolves: 'load-unread' },
  'the load of a replica is no longer read': { resolves: 'load-unread' },
  'an engine restarted: its caches are empty': 'note',
  'a pool does not answer as the configuration says; no replica is blamed': { happens: 'pool-misconfigured' },
  'a backend ignores the cap of an answer': { happens: 'backend-disobeys' },
  'a backend counted more tokens than were reserved': { happens: 'backend-disobeys' },
  'the gateway itself cannot open connections to backends; no replica is blamed': { happens: 'backends-unreachable' },
  'the change of a pool could not be read': { happens: 'gateway-fault' },
  'a hosted tool cannot be offered': { opens: 'tool-fails' },
  'a hosted tool can be offered again': { resolves: 'tool-fails' },
  'a hosted tool fails': { opens: 'tool-fails' },
  'a hosted tool works again': { resolves: 'tool-fails' },
  'the tools of an MCP server cannot be learnt: are its address and key right?': { opens: 'tool-fails' },
  'the tools of an MCP server can be learnt again': { resolves: 'tool-fails' },
  'a hosted tool failed because of a fault of the gateway': { happens: 'gateway-fault' },
  'the keys of the identity provider cannot be read': { opens: 'identity-unreachable' },
  'the keys of the identity provider can be read again': { resolves: 'identity-unreachable' },
  'the identity provider changed its keys': 'note',
  'a sign-in is refused: its groups cannot be read': { happens: 'groups-unreadable' },
  'a refresh token was used again: its login has ended': { happens: 'refresh-token-reused' },
  'an account is denied everything: its plan is not declared': { happens: 'plan-undeclared' },
  'a sign-in claims a plan that is not declared': { happens: 'plan-undeclared' },
  'a sign-in claims the plan of guests, which it does not get': { happens: 'plan-undeclared' },
  'accounts are still on plans that are gone': { happens: 'plan-undeclared' },
  'overloaded: guests are refused': { opens: 'overloaded' },
  'overloaded: everybody is refused': { opens: 'overloaded' },
  'no longer overloaded: everybody is served': { resolves: 'overloaded' },
  'connections are closed as they come: there are limits.connections of them': { happens: 'connections-full' },
  'an address is at limits.connections_per_ip': { happens: 'connections-full' },
  'no file descriptor is left: new connections are closed unserved': { opens: 'descriptors-gone' },
  'there are file descriptors again: new connections are served': { resolves: 'descriptors-gone' },
  'a worker ended; another one takes its place': { happens: 'worker-ended' },
  'a worker could not begin, and is tried again': { happens: 'worker-ended' },
  'a worker does not answer': { happens: 'worker-ended' },
  'a worker does not serve what the others do, and is ended': { happens: 'worker-ended' },
  'a worker sent a message that cannot be read': { happens: 'gateway-fault' },
  'an answer of the store cannot be sent': { happens: 'gateway-fault' },
  'what a worker left is not written yet, and is tried again': { happens: 'settlements-wait' },
  'the holds of a worker that ended could not be written': { happens: 'settlements-wait' },
  'the store process ended': { happens: 'store-down' },
  'the configuration was not reloaded: the previous one stays in force': { opens: 'files-not-served' },
  'the files differ from what the gateway serves': { opens: 'files-not-served' },
  'a directory cannot be watched: send SIGHUP after changes': { happens: 'files-not-served' },
  'the fleet cannot be read': { happens: 'fleet-differs' },
  'the drained pools are unknown until the store answers': { happens: 'fleet-differs' },
  'a change of all gateways failed here': { happens: 'fleet-differs' },
  'a change of all gateways is not taken here, and tried again': { happens: 'fleet-differs' },
  'kept responses have nearly all of their room: without any, further ones are answered and not kept': {
    happens: 'responses-full',
  },
  'a response could not be kept': { happens: 'responses-full' },
  'responses whose time is over could not be deleted': { happens: 'responses-full' },
  'a change is missing in the audit': { happens: 'audit-incomplete' },
  'the admin token could not be written': { happens: 'state-unreadable' },
  'the revisions of before cannot be read': { happens: 'state-unreadable' },
  'a revision cannot be kept': { happens: 'state-unreadable' },
  'an old revision cannot be removed': { happens: 'state-unreadable' },
  'the store could not be closed': { happens: 'state-unreadable' },
  'other users of this machine may read what the gateway keeps, and it may not change that': {
    happens: 'state-unreadable',
  },
  'unexpected error': { happens: 'gateway-fault' },
} as const satisfies Readonly<Record<string, AlarmMeaning>>

/** Every message of an alarm; one that is missing here does not compile. */
export type AlarmMessage = keyof typeof MEANINGS | Worded

/** Messages that name something: who drained what, which resource is gone, what Redis lacks. */
type Worded =
  | `an operator ${'drained' | 'undrained'} ${string}`
  | `this process has no ${string} left, and cannot read the keys of the identity provider`
  | `revision ${number} is kept no more`
  | `Redis ${string}`

/** Classifies a message; one from another build counts as a fault, so that it is seen. */
export function meaningOf(message: string): AlarmMeaning {
  if (Object.hasOwn(MEANINGS, message)) return MEANINGS[message as keyof typeof MEANINGS]
  if (message.startsWith('an operator ')) return 'note'
  if (message.startsWith('revision ')) return { happens: 'state-unreadable' }
  if (message.startsWith('Redis ')) return { opens: 'store-unsafe' }
  return message.startsWith('this process has no ') ? { opens: 'identity-unreachable' } : { happens: 'gateway-fault' }
}

/** Every message that is always the same, for the test that each is said somewhere. */
export const FIXED_MESSAGES: readonly string[] = Object.keys(MEANINGS)
