import type { Severity } from '../wire/admin/incident.ts'

/** A kind of incident, as operators see it. docs/incidents.md is generated from these. */
export interface IncidentKind {
  readonly title: string
  readonly severity: Severity
  /** Symptoms that clients notice. */
  readonly effect: string
  /** The operator's first action. */
  readonly action: string
  /** The details that tell one such trouble from another, as the pool does. */
  readonly by?: readonly string[]
  /** Each process of the gateway says by itself when it is over. */
  readonly ofProcess?: true
}

export const INCIDENT_KINDS = {
  'store-down': {
    title: 'The store does not answer',
    severity: 'page',
    effect: 'Requests and new keys are refused with 503. Running answers finish.',
    action: 'Run `svcctl doctor --no-generate`. Bring Redis back, or free the disk of the embedded store.',
    ofProcess: true,
  },
  'store-part-down': {
    title: 'A server of the store does not answer',
    severity: 'page',
    effect: 'Accounts whose records lie on this server are refused with 503.',
    action: 'Bring the Redis node back, or let the cluster promote its replica.',
    by: ['server'],
    ofProcess: true,
  },
  'store-disk-full': {
    title: 'The disk of the store cannot be written',
    severity: 'page',
    effect: 'Requests are refused with 503 until it has room again.',
    action: 'Free the disk, or mount it writable. The gateway recovers by itself.',
  },
  'store-risk': {
    title: 'Redis may lose acknowledged writes',
    severity: 'page',
    effect: 'None yet. After a crash or a failover of Redis, spend or keys may be missing.',
    action:
      'Check the replication and the append-only file of Redis: `redis-cli INFO replication`, `INFO persistence`.',
  },
  'store-unsafe': {
    title: 'Redis is set up to lose data',
    severity: 'ticket',
    effect: 'None yet. A crash or a failover of Redis loses spend and keys.',
    action: 'Set what the incident names in the configuration of Redis, then restart the gateway.',
  },
  'store-took-over': {
    title: 'Another Redis server took over',
    severity: 'ticket',
    effect: 'None: the gateway repeats the writes that it lacked.',
    action: 'Find out why the primary went away.',
  },
  'clock-set': {
    title: 'A clock was set',
    severity: 'ticket',
    effect: 'Limit windows may last longer or end sooner by the same amount.',
    action: 'Run `timedatectl` on the machine that the incident names, and let NTP slew the clock.',
  },
  'settlements-wait': {
    title: 'Settlements cannot be written',
    severity: 'page',
    effect: "None yet. The cost of requests is kept on the gateway's disk.",
    action: 'Keep `state_dir`. Look at the error, then at `spool.refused.ndjson` in `state_dir`.',
  },
  'money-unrecorded': {
    title: 'A cost could not be recorded',
    severity: 'ticket',
    effect: 'None. An amount is missing from reports of failed attempts, or from the hourly budget of a pool.',
    action: 'Look at the store: `svcctl doctor --no-generate`.',
  },
  'ledger-upkeep': {
    title: 'Old ledger rows cannot be removed',
    severity: 'ticket',
    effect: 'None. Rows stay longer than `ledger.keep` says, or leave before an archive took them.',
    action: 'Look at the error, and at `svcctl archive status`.',
  },
  'gateway-died': {
    title: 'A gateway died with requests in flight',
    severity: 'ticket',
    effect: 'Its answers broke off. They were charged as of their last checkpoint.',
    action: 'Read the last lines of its log, and `dmesg` for a process that was killed for its memory.',
  },
  'archive-behind': {
    title: 'The archive accepts no rows',
    severity: 'ticket',
    effect: 'None. Rows wait in the store, which grows.',
    action: 'Run `svcctl archive status`, which says why, and bring the archive back.',
  },
  'notices-wait': {
    title: 'A target accepts no notices',
    severity: 'ticket',
    effect: 'None. Operators and customers hear later that a limit is nearly used.',
    action: 'Run `svcctl notices list`, which says why, and `svcctl notices test TARGET` once it is corrected.',
    by: ['target'],
  },
  'decision-log-lost': {
    title: 'The decision log cannot be written',
    severity: 'ticket',
    effect: 'None. Decisions from this time are missing from `svcctl explain --request` and `svcctl replay`.',
    action: 'Free the disk of `decisions`, or allow the gateway to write there.',
    ofProcess: true,
  },
  'telemetry-lost': {
    title: 'The collector accepts no metrics or traces',
    severity: 'ticket',
    effect: 'None. Metrics or traces from this time are lost.',
    action: 'Bring the collector at `endpoint` back.',
    by: ['endpoint'],
    ofProcess: true,
  },
  'pool-unusable': {
    title: 'A pool cannot be used',
    severity: 'page',
    effect: 'Requests go to the next pool of their model, or are refused with 503 if there is none.',
    action: 'Run `svcctl doctor --pool NAME`: it says whether the address, the key, the model or the account is wrong.',
    by: ['pool'],
  },
  'canary-stopped': {
    title: 'A canary is stopped',
    severity: 'ticket',
    effect: 'None. Its conversations go to the other pools of the model.',
    action: 'Compare both sides with `svcctl pools`, repair the pool, then run `svcctl pools undrain NAME`.',
    by: ['pool', 'model'],
  },
  'replica-ejected': {
    title: 'A replica is ejected',
    severity: 'ticket',
    effect: 'None while other replicas or the next pool answer.',
    action: 'Run `svcctl pools`, then `svcctl doctor --pool NAME`, and repair the backend.',
    by: ['pool', 'replica'],
  },
  'load-unread': {
    title: 'The load of a replica cannot be read',
    severity: 'ticket',
    effect: 'None. `spill.waiting_over` does not hold at this replica, and its columns are empty.',
    action: 'Fetch the metrics from this machine with `curl`, and switch them on as the `hint` of the incident says.',
    by: ['pool', 'replica'],
  },
  'pool-misconfigured': {
    title: 'A pool does not answer as the configuration says',
    severity: 'ticket',
    effect: 'Requests go to the next pool, or get a 503 that advises against a retry.',
    action: 'Compare the details of the incident with the pool and the model in the YAML.',
    by: ['pool'],
  },
  'backend-disobeys': {
    title: 'A backend ignores caps or miscounts tokens',
    severity: 'ticket',
    effect: 'None. You pay the backend for more than the account is charged.',
    action: 'Run `svcctl doctor --pool NAME`: it shows which cap field the backend honours.',
    by: ['pool'],
  },
  'backends-unreachable': {
    title: 'The gateway itself cannot open connections',
    severity: 'page',
    effect: 'Requests are refused with 503. No replica is blamed.',
    action: 'See the details: file descriptors, ports or memory of this machine.',
    ofProcess: true,
  },
  'tool-fails': {
    title: 'A hosted tool fails',
    severity: 'ticket',
    effect: 'Models get an error from the tool, or are not offered it.',
    action: 'Bring the MCP server of the tool back.',
    by: ['tool', 'server'],
    ofProcess: true,
  },
  'identity-unreachable': {
    title: 'The keys of the identity provider cannot be read',
    severity: 'page',
    effect: 'Tokens signed with a new key are refused with 503. Keys of the gateway keep working.',
    action: 'Fetch `jwks_uri` of `issuer` from this machine with `curl`.',
    by: ['issuer'],
    ofProcess: true,
  },
  'plan-undeclared': {
    title: 'An account or a sign-in names a plan that is not declared',
    severity: 'ticket',
    effect: 'The account is refused, or served on the default plan.',
    action: 'Declare the plan, or move the account: `svcctl accounts set-plan`.',
  },
  'groups-unreadable': {
    title: 'Groups of sign-ins cannot be read',
    severity: 'ticket',
    effect: 'These people are refused with 403. Their keys work.',
    action:
      'Have the identity provider send the claim that `identity.groups` names as a list of texts, in Entra only the groups assigned to the application.',
    by: ['claim'],
  },
  'refresh-token-reused': {
    title: 'A refresh token of Claude Code was used again',
    severity: 'ticket',
    effect: 'The person signs in again with `/login`.',
    action:
      'Somebody may have copied the credentials of this person: ask them, and freeze the account if in doubt, by `svcctl accounts freeze`.',
    by: ['account'],
  },
  overloaded: {
    title: 'The gateway is overloaded',
    severity: 'page',
    effect: 'Guests, then everybody, are refused with 503.',
    action: 'Add `workers`, or another gateway.',
    ofProcess: true,
  },
  'connections-full': {
    title: 'Connections are refused',
    severity: 'ticket',
    effect: 'Connections beyond the limit are closed.',
    action:
      'If one of your proxies counts as one address, set `server.trusted_proxies`; otherwise raise the limit that the incident names.',
    ofProcess: true,
  },
  'descriptors-gone': {
    title: 'No file descriptor is left',
    severity: 'page',
    effect: 'New connections are closed unserved.',
    action: 'Raise `LimitNOFILE` of the unit and restart, or lower `limits.connections`.',
    ofProcess: true,
  },
  'worker-ended': {
    title: 'A worker ended or does not answer',
    severity: 'ticket',
    effect: 'Answers that it served broke off. Another worker takes its place.',
    action: 'Read its exit code and the last lines of the log; report a crash.',
  },
  'files-not-served': {
    title: 'The files on disk differ from the configuration in use',
    severity: 'ticket',
    effect: 'None. The previous configuration stays in use.',
    action: 'Run `svcctl validate`, fix the line that it names, then run `svcctl reload`.',
  },
  'fleet-differs': {
    title: 'A change did not reach every gateway',
    severity: 'ticket',
    effect: 'Gateways may judge the same client by different files.',
    action: 'Run `svcctl fleet`, then `svcctl reload` at the gateways that are behind.',
  },
  'responses-full': {
    title: 'Responses cannot be kept',
    severity: 'ticket',
    effect: 'Answers are served with `store: false`: `previous_response_id` will not find them.',
    action: 'Raise `responses.max_bytes_total`, or lower `responses.keep`.',
  },
  'audit-incomplete': {
    title: 'A change is missing in the audit',
    severity: 'ticket',
    effect: 'None. A row is missing from `svcctl audit`; the log has it.',
    action: 'Look at the store: `svcctl doctor --no-generate`.',
  },
  'state-unreadable': {
    title: 'A file of the gateway cannot be read, written or closed',
    severity: 'ticket',
    effect: 'Depends on the file that the incident names.',
    action: 'Look at the disk and the rights of `state_dir`.',
  },
  'gateway-fault': {
    title: 'A fault of the gateway',
    severity: 'ticket',
    effect: 'One request failed with 500, or one background task failed.',
    action: 'Report the stack in the log.',
  },
} as const satisfies Readonly<Record<string, IncidentKind>>

export type IncidentName = keyof typeof INCIDENT_KINDS
