import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import KeyvRedis, { createClient } from '@keyv/redis'
import { Keyv } from 'keyv'
import { outOfPatience } from '../../gateway/patience.ts'
import type { Millis } from '../../policy/config.ts'
import type { Place, RedisAddress } from './address.ts'

/** How a store in Redis is reached. */
export interface Server {
  /** `redis://`, `redis+sentinel://` or `redis+cluster://`, with `rediss` for TLS, and with user and password. */
  readonly url: string
  /** The password for the sentinels, which have users of their own. */
  readonly sentinelPassword?: string
  /** Certificates instead of this machine's own. */
  readonly tls?: Certificates
}

/** As PEM. */
export interface Certificates {
  /** Certificates that the server's must be signed by. */
  readonly ca?: string
  /** The client's own certificate. */
  readonly certificate?: string
  readonly key?: string
}

/** One connection to a server. It never reconnects by itself: after its loss the caller opens a new one. */
export interface Link {
  readonly client: Client
  /** Which server it is, once that was looked at. */
  server?: string
  readonly place: Place
  /** Account ids by key hash. */
  readonly owners: Keyv<string>
  close(): void
}

export type Client = ReturnType<typeof newClient>

/** One server, and the gateway's user there. */
export interface Target extends Pick<RedisAddress, 'credentials' | 'database' | 'isTls'> {
  readonly place: Place
  readonly tls?: Certificates
}

const CONNECT_MS: Millis = 2000

/**
 * Never connects: other clients are its duplicates and share its class. The library defines the functions of all its commands anew
 * for each client with other options, which costs 20 ms of CPU for each connection.
 */
let template: ReturnType<typeof createClient> | undefined

function newClient({ place, credentials, database, isTls, tls = {} }: Target) {
  const socket = {
    ...place,
    reconnectStrategy: false as const,
    // The library would read the clock, which runs on while this process gets no CPU: `openClient` counts turns instead.
    connectTimeout: 0,
    keepAlive: true,
    keepAliveInitialDelay: 5000,
  }
  template ??= createClient()
  return template.duplicate({
    ...credentials,
    ...(database !== undefined && { database }),
    // A command that cannot be sent at once fails at once.
    disableOfflineQueue: true,
    disableClientInfo: true,
    socket: isTls ? { ...socket, tls: true, ...tlsOptions(place, tls) } : socket,
  })
}

function tlsOptions({ host }: Place, { ca, certificate, key }: Certificates) {
  const pem = { ...(ca && { ca }), ...(certificate && { cert: certificate }), ...(key && { key }) }
  // A proxy in front of several servers chooses by the name.
  return { ...pem, ...(isIP(host) === 0 && { servername: host }) }
}

/** Connects. `lost` is called once when the connection ends, unless `close` ended it. Rejects when there is no connection within 2 s. */
export async function openLink(target: Target, owners: string, lost: (error: Error) => void): Promise<Link> {
  const { client, close } = await openClient(target, lost)
  const adapter = new KeyvRedis<string>(client, { namespace: owners, throwOnErrors: true })
  const keyv = new Keyv<string>({ store: adapter, throwOnErrors: true, useKeyPrefix: false })
  return { client, place: target.place, owners: keyv, close }
}

/** As `openLink`, of any server. */
export async function openClient(target: Target, lost: (error: Error) => void) {
  const client = newClient(target)
  let state: 'connecting' | 'open' | 'closed' = 'connecting'
  let first: Error | undefined
  const close = () => {
    if (state === 'closed') return
    state = 'closed'
    client.destroy()
  }
  const end = (error: Error) => {
    const wasOpen = state === 'open'
    first ??= error
    close()
    if (wasOpen) lost(error)
  }
  client.on('error', end)
  client.on('end', () => end(new Error('the connection ended')))
  // Until the sign-in is answered: the kernel of a stopped server still completes the TCP handshake.
  const callOff = outOfPatience({ time: CONNECT_MS }, () => end(new Error(`no answer within ${CONNECT_MS} ms`)))
  try {
    await client.connect()
    state = 'open'
  } catch (error) {
    close()
    // `close` made the client fail with an error about the closing itself.
    throw first ?? error
  } finally {
    callOff()
  }
  return { client, close }
}

/**
 * Whether a script or a command failed for a reason that a repetition would meet again: a fault of this program, or of what
 * is stored. Outages have error codes of their own, such as READONLY or OOM, which Redis before 7 puts behind ERR.
 */
export const isScriptError = (error: unknown): error is Error =>
  error instanceof Error && SCRIPT_ERROR.test(error.message)

/** Errors of a script itself. A missing permission is none: the operator can grant it. */
const SCRIPT_ERROR =
  /^(ERR|WRONGTYPE) (?!The user executing the script|ACL failure in script|max number of clients|.*: -(?!ERR|WRONGTYPE)[A-Z]+ )/

/** Where a node of a cluster sends a command that it does not run itself, or not now. */
export function redirectOf(error: unknown): 'MOVED' | 'ASK' | 'TRYAGAIN' | undefined {
  if (!(error instanceof Error)) return undefined
  return /^(MOVED|ASK|TRYAGAIN) /.exec(error.message)?.[1] as ReturnType<typeof redirectOf>
}

const isScriptMissing = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT')

const read = (name: string): string => readFileSync(new URL(`../../../redis/${name}.lua`, import.meta.url), 'utf8')

interface Script {
  readonly text: string
  readonly sha: string
}

/** One text of several files: a script begins with the functions it uses and no others, since Redis creates them for each call. */
function script(...names: readonly string[]): Script {
  const text = ['common', ...names].map(read).join('\n')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** One text that runs several calls of a script, whose last file becomes a function. `sums` are kept over the calls. */
function grouped(sums: readonly string[], ...names: readonly string[]): Script {
  const parts = names.slice(0, -1)
  const call = `local function call()\n${read(names.at(-1) ?? '')}\nend`
  const text = [
    ...['group/calls', 'common', 'group/once', ...parts, ...sums].map(read),
    ...[call, read('group/run')],
  ].join('\n')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** Functions that other files of a script need, each after those that it needs itself. */
const COUNTERS = ['holds/hold', 'holds/counts', 'holds/share', 'holds/bucket', 'holds/counters'] as const
const RULES = ['holds/weight', 'holds/rules'] as const
const ORPHANS = ['ledger/places', 'ledger/sums', 'holds/orphan'] as const

const ADMIT = [...COUNTERS, 'holds/judge', 'holds/admit'] as const
const SETTLE = [...COUNTERS, ...ORPHANS, 'ledger/totals', 'notices/announce', 'holds/settle'] as const

const scripts = {
  admit: script(...ADMIT),
  admitWithRules: script(...RULES, ...ADMIT),
  extend: script(...COUNTERS, 'holds/judge', 'holds/extend'),
  extendWithRules: script(...RULES, ...COUNTERS, 'holds/judge', 'holds/extend'),
  heartbeat: script('holds/heartbeat'),
  settle: script(...SETTLE),
  settleWithRules: script(...RULES, ...SETTLE),
  adopt: script(...COUNTERS, 'holds/adopt'),
  adoptWithRules: script(...RULES, ...COUNTERS, 'holds/adopt'),
  resume: script(...COUNTERS, ...ORPHANS, 'holds/resume'),
  resumeWithRules: script(...RULES, ...COUNTERS, ...ORPHANS, 'holds/resume'),
  begin: script(...RULES, 'holds/begin'),
  take: script(...RULES, ...COUNTERS, 'holds/judge', 'shared/apart', 'shared/take'),
  more: script(...RULES, ...COUNTERS, 'holds/judge', 'shared/apart', 'shared/more'),
  weigh: script(...RULES, ...COUNTERS, 'holds/judge', 'shared/weigh'),
  give: script(...RULES, ...COUNTERS, 'shared/charge', 'notices/announce', 'shared/give'),
  adoptShare: script(...RULES, 'shared/adopt'),
  resumeShare: script(...RULES, ...COUNTERS, 'shared/charge', 'shared/resume'),
  mint: script('accounts/audit', 'accounts/keys', 'accounts/mint'),
  rotate: script('accounts/audit', 'accounts/keys', 'accounts/rotate'),
  revoke: script('accounts/audit', 'accounts/keys', 'accounts/revoke'),
  used: script('accounts/used'),
  change: script('accounts/audit', 'accounts/change'),
  note: script('accounts/audit', 'accounts/note'),
  raise: script('accounts/raise'),
  count: script('accounts/count'),
  waste: script('ledger/sums', 'ledger/totals', 'ledger/waste'),
  allowance: script('ledger/allowance'),
  keep: script('responses/head', 'responses/kept', 'responses/keep'),
  reserve: script('responses/room', 'responses/reserve'),
  release: script('responses/room', 'responses/release'),
  forget: script('responses/head', 'responses/kept', 'responses/forget'),
  lease: script('ledger/lease'),
  notices: script('notices/write'),
  invoice: script('ledger/invoice'),
  permitted: script('permitted'),
  announce: script('fleet/announce'),
  drain: script('fleet/drain'),
  changeFleet: script('fleet/change'),
  canary: script('fleet/canary'),
  series: script('fleet/series'),
  login: script('accounts/login'),
  shareSlots: script('fleet/slots'),
  label: script('accounts/label'),
  snapshot: script('backup/snapshot'),
  steady: script('steady'),
}

export type ScriptName = keyof typeof scripts

/** Scripts of which several calls may run as one. */
const groups: ReadonlyMap<ScriptName, Script> = new Map([
  ['admit', grouped(['group/counters'], ...ADMIT)],
  ['admitWithRules', grouped(['group/counters'], ...RULES, ...ADMIT)],
  ['settle', grouped(['group/counters', 'group/totals'], ...SETTLE)],
  ['settleWithRules', grouped(['group/counters', 'group/totals'], ...RULES, ...SETTLE)],
])

/** Scripts that write keys, accounts, orgs or values of labels: their callers say by which step that raises the schema. */
export type WritingScript = 'mint' | 'rotate' | 'change' | 'label'
export type OtherScript = Exclude<ScriptName, WritingScript>

/** The answer of a script: the outcome, and texts that belong to it. */
export type Reply = readonly [string, ...string[]]

/** The keys and values of one call of a script. */
export interface CallOf {
  readonly keys: readonly string[]
  readonly values: readonly (string | number)[]
}

/** Runs a script by its hash, or by its text where the server does not know it (yet, or after a restart). */
export async function runScript(
  client: Client,
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<Reply> {
  return (await run(client, scripts[name], keys, values)) as Reply
}

export const canGroup = (name: ScriptName): boolean => groups.has(name)

/** Runs calls of one script as one, in their order. Resolves to the answer of each, or why it failed. */
export async function runGroup(
  client: Client,
  name: ScriptName,
  calls: readonly CallOf[],
): Promise<readonly (Reply | Error)[]> {
  const script = groups.get(name)
  if (!script) throw new Error(`calls of ${name} cannot run as one`)
  const sizes = calls.map(({ keys, values }) => `${keys.length} ${values.length}`).join(' ')
  const keys = calls.flatMap(call => call.keys)
  const values = calls.flatMap(call => call.values)
  return (await run(client, script, keys, [sizes, ...values])) as readonly (Reply | Error)[]
}

async function run(
  client: Client,
  { sha, text }: Script,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  const call = { keys: [...keys], arguments: values.map(String) }
  try {
    return await client.evalSha(sha, call)
  } catch (error) {
    if (!isScriptMissing(error)) throw error
    return client.eval(text, call)
  }
}
