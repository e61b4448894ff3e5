import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from '../../src/config/load.ts'
import type { ListenerSettings, Loaded } from '../../src/config/settings.ts'
import { mintKey } from '../../src/gateway/accounts/accounts.ts'
import type { Reloaded } from '../../src/http/changes.ts'
import type { Sample } from '../../src/http/listener/overload.ts'
import type { LogEntry } from '../../src/http/log-entry.ts'
import type { LedgerRow } from '../../src/records/ledger-row.ts'
import type { RunningGateway } from '../../src/server/compose/gateway.ts'
import { startSingle } from '../../src/server/compose/single.ts'
import { type Examine, examination, foundOf } from '../../src/server/examiner/examiner.ts'
import type { World } from '../../src/server/world.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { adminViolationsOf } from './admin-api.ts'
import { VirtualClock } from './clock.ts'
import type { OidcServer } from './identity/oidc.ts'
import { type Exchange, tap, violationsOf } from './openapi.ts'
import type { RedisServer } from './redis/redis.ts'
import { Tally } from './tally.ts'

/** 2026-11-21T10:00:00Z */
const START = 1_795_255_200_000
export const ADMIN_TOKEN = 'test-admin-token'
/** The public URL of a test gateway, which is the audience of tokens. */
export const AUDIENCE = 'http://localhost'
/** The secret for guest keys, unless a test sets another. */
export const GUEST_SECRET = 'guest-root-secret-of-the-tests-0001'

/** A gateway on free loopback ports, with the embedded store unless a Redis is given, a clock that stands still, and pools of scripted backends. */
export interface TestGateway {
  /** Without /v1. */
  readonly url: string
  readonly admin: string
  readonly clock: VirtualClock
  readonly gateway: RunningGateway
  /** Requests that are over, oldest first. */
  readonly log: readonly LogEntry[]
  readonly alarms: readonly string[]
  /** Resolves once `n` requests are over. */
  logged(n: number): Promise<readonly LogEntry[]>
  /** Resolves once the gateway knows of `n` responses that they ended or their client left. */
  closed(n: number): Promise<void>
  key(plan?: string, account?: string): Promise<string>
  ledger(): Promise<LedgerRow[]>
  chat(key: string, body?: object, options?: { signal?: AbortSignal }): Promise<Response>
  /** Writes other files: pools in place of those it began with, and a change of the main file's text. */
  write(change?: Partial<TestPools>, edit?: (yaml: string) => string): void
  /** Writes the files, and reloads them. */
  reload(change?: Partial<TestPools>, edit?: (yaml: string) => string): Promise<Reloaded>
  /** The directory of the files. */
  readonly dir: string
  /** Its messages to the operator about reloads. */
  readonly said: readonly string[]
  /** Stops it and starts another one on the same files. */
  restart(): Promise<TestGateway>
  /** Rejects when a request or an answer of the public listener was not as openapi.yaml says, or one of the admin API not as declared. */
  close(): Promise<void>
}

export interface TestPools {
  /** Replicas of `onprem`, the first pool of every model. */
  readonly onprem: readonly { readonly url: string }[]
  /** Replicas of `cloud`, the second. */
  readonly cloud?: readonly { readonly url: string }[]
  /** More fields of the pools, such as `max_concurrent: 2`, of the plan `pro`, and of the model `svc-core`. */
  readonly fields?: {
    readonly onprem?: string
    readonly cloud?: string
    readonly free?: string
    readonly tight?: string
    readonly pro?: string
    readonly core?: string
  }
  /** More YAML for the main file, such as `limits: { body: 1KB }`. */
  readonly yaml?: string
  /** Files beside the main one, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Where people sign in, with the claims `plan` and `email`. Its tokens carry real time, and so the clock starts now. */
  readonly oidc?: OidcServer
  /** More fields of `identity`. */
  readonly identity?: string
  /** The section `guests` below its plan, `guest-device`: `usd_per_day_total: 50`. */
  readonly guests?: string
  readonly trustedProxies?: readonly string[]
  /** More fields of `server`, a line each. */
  readonly server?: readonly string[]
  /** The clock starts now, as that of Redis, which the gateway may move to while it runs. */
  readonly now?: true
  /** In place of the embedded store. */
  readonly redis?: Pick<RedisServer, 'url'>
  /** How long Redis may take to answer: a minute, so that a busy machine causes no outage, unless a test is about one. */
  readonly redisAnswerMs?: number
  /** In place of what the files say: timeouts of Node's own, which no test's clock moves, and of which files have no less than a second. */
  readonly listener?: Partial<ListenerSettings>
  /** The ways to webhooks of customers, where they are not those of this machine. */
  readonly publicHosts?: World['publicHosts']
  /** The process's reported load, four times a second of the clock. */
  readonly sample?: () => Sample
  /** It explains lines of its decision log, as svcctl has it do. */
  readonly explains?: true
  /** Whether the files of several gateways are the same to the letter. */
  readonly alike?: true
  /** The gateway's name, if a test has several. */
  readonly name?: string
  /** In place of those that secrets are read from. */
  readonly env?: Readonly<Record<string, string>>
}

export const ENV = { CLOUD_KEY: 'sk-cloud-secret-1234', SVC_GUEST_SECRET: GUEST_SECRET }

const identityYaml = ({ issuer }: OidcServer, more: string): string =>
  `identity: { issuer: "${issuer}", plan_claim: plan, label_claim: email, default_plan: free${more && `, ${more}`} }`
const guestPlan = '  guest-device: { models: [tier:guest], rpm: 10, tpm: 20k, per_day: 5, monthly_usd: 0.50 }'

const yamlOf = (
  {
    onprem,
    cloud = [],
    fields = {},
    yaml = '',
    oidc,
    identity = '',
    guests,
    trustedProxies = [],
    server = [],
    redis,
    alike,
  }: TestPools,
  dir: string,
): string => `
version: 1
server:
  listen: 127.0.0.1:0
  admin: 127.0.0.1:0
  public_url: ${AUDIENCE}
  state_dir: ${alike ? './state' : dir}
  trusted_proxies: ${JSON.stringify(trustedProxies)}
${server.map(line => `  ${line}\n`).join('')}store: ${redis ? redis.url : `embedded:${dir}/store`}
${oidc ? identityYaml(oidc, identity) : ''}
${guests === undefined ? '' : `guests: { plan: guest-device, ${guests} }`}
plans:
${guests === undefined ? '' : guestPlan}
  free: { models: [tier:guest], rpm: 20, tpm: 40k, monthly_usd: 1${more(fields.free)} }
  tight: { models: [tier:guest], rpm: 2, tpm: 10k, per_day: 3, max_concurrent: 1, monthly_usd: 0.01${more(fields.tight)} }
  pro: { models: all, rpm: 1000, tpm: 10M, monthly_usd: 20, overage: true${more(fields.pro)} }
models:
  svc-core:
    kind: chat
    tier: guest
    serve: [onprem${cloud.length > 0 ? ', cloud' : ''}]
    context: 32k
    usd_per_1m: { input: 1, output: 10 }
    ${fields.core ?? ''}
  svc-ultra-pro:
    kind: chat
    tier: premium
    vision: true
    serve: [onprem${cloud.length > 0 ? ', cloud' : ''}]
    context: 128k
    max_output: 16k
    thinking: { default: true, min_max_tokens: 2000 }
    usd_per_1m: { input: 2, output: 8 }
  svc-embed: { kind: embedding, tier: standard, serve: [onprem], context: 512, usd_per_1m: { input: 0.02 } }
  svc-image: { kind: image, tier: standard, serve: [onprem], usd_per_image: { 512x512: 0.01, 1024x1024: 0.02 } }
aliases: { svc-auto: svc-core }
default_model: svc-auto
pools:
  onprem: { site: on-premises, model: test-model, replicas: ${JSON.stringify(onprem.map(({ url }) => url))}${more(fields.onprem)} }
${cloud.length > 0 ? `  cloud: { site: cloud, model: cloud-model, key: "\${CLOUD_KEY}", replicas: ${JSON.stringify(cloud.map(({ url }) => url))}${more(fields.cloud)} }` : ''}
${yaml}
`

const more = (fields = ''): string => (fields === '' ? '' : `, ${fields}`)

export async function startTestGateway(pools: TestPools): Promise<TestGateway> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const file = join(dir, 'config.yaml')
  writeFiles(pools, dir)
  const start = pools.oidc || pools.redis || pools.now ? Date.now() : START
  const { sample } = pools
  return open({
    pools,
    file,
    dir,
    clock: new VirtualClock(start),
    violations: [],
    adminViolations: [],
    ...(sample && { sample }),
  })
}

function writeFiles(pools: TestPools, dir: string, edit = (yaml: string) => yaml): void {
  writeFileSync(join(dir, 'config.yaml'), edit(yamlOf(pools, dir)))
  for (const [name, text] of Object.entries(pools.files ?? {})) writeFileSync(join(dir, name), text)
}

interface Opened {
  readonly pools: TestPools
  readonly file: string
  readonly dir: string
  readonly clock: VirtualClock
  readonly violations: string[]
  readonly adminViolations: string[]
  readonly sample?: () => Sample
}

async function open(opened: Opened): Promise<TestGateway> {
  const { file, dir, clock, violations, adminViolations, sample } = opened
  let { pools } = opened
  // As from another thread, and without one: that loads compiled modules.
  const examine: Examine = async candidate => {
    const task = { file, env: pools.env ?? ENV, cwd: dir, candidate: structuredClone(candidate) }
    const found = foundOf(structuredClone(examination(task)))
    return found.ok ? { ...found, load: () => withListener(found.load(), pools) } : found
  }
  const write: TestGateway['write'] = (change = {}, edit) => {
    pools = { ...pools, ...change }
    writeFiles(pools, dir, edit)
  }
  const result = load(file, pools.env ?? ENV, dir)
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 2))
  const { brand } = result.loaded.settings
  const log: LogEntry[] = []
  const alarms: string[] = []
  const said: string[] = []
  const over = new Tally()
  const closed = new Tally()
  let running: RunningGateway | undefined
  const watch = (message: unknown) => {
    const { server, request, response } = message as {
      server: Server
      request: IncomingMessage
      response: ServerResponse
    }
    const address = server.address() as AddressInfo | null
    // Other servers of this process get requests too, also before this one listens.
    if (address === null || !running) return
    if (address.port === running.admin.port)
      return tap(request, response, exchange => adminViolations.push(...adminViolationsOf(exchange)))
    if (address.port !== running.listen.port) return
    const passed = running.app.config.passthrough.has((request.url ?? '').replace(/\?.*/, ''))
    tap(request, response, exchange => violations.push(...violationsOf(inOurWords({ ...exchange, passed }, brand))))
    response.once('close', () => closed.add())
  }
  subscribe('http.server.request.start', watch)
  const gateway = await startSingle(
    withListener(result.loaded, pools),
    {
      ...{ clock, random: randomBytes, chance: Math.random, redisAnswerMs: pools.redisAnswerMs ?? 60_000 },
      ...(pools.publicHosts && { publicHosts: pools.publicHosts }),
    },
    {
      adminToken: ADMIN_TOKEN,
      log: entry => {
        log.push(entry)
        over.add()
      },
      alarm: (message, details) => alarms.push(`${message} ${JSON.stringify(details)}`),
      examine,
      main: file,
      say: text => said.push(text),
      ...(sample && { sample }),
      ...(pools.explains && {
        explain: async (serving, line) => (await import('../../src/cli/explain/past.ts')).explainedLine(serving, line),
      }),
      ...(pools.name !== undefined && { name: pools.name }),
    },
  )
  running = gateway
  const url = `http://127.0.0.1:${gateway.listen.port}`
  return {
    url,
    admin: `http${gateway.app.settings.server.adminTls ? 's' : ''}://127.0.0.1:${gateway.admin.port}`,
    clock,
    gateway,
    log,
    alarms,
    logged: async n => {
      await over.reached(n)
      return log
    },
    closed: n => closed.reached(n),
    key: async (plan = 'free', account = 'ada') => {
      const minted = await mintKey(gateway.store.keys, randomBytes, {
        brand: 'svc',
        label: account,
        plan,
        most: 50,
        by: 'test',
      })
      if (minted.value === undefined) throw new Error(`${account} has a key already`)
      return minted.value
    },
    ledger: async () => {
      const rows: LedgerRow[] = []
      for await (const row of gateway.store.ledger.readRows()) rows.push(row)
      return rows
    },
    chat: (key, body = {}, { signal } = {}) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
        ...(signal && { signal }),
      }),
    write,
    reload: (change, edit) => {
      write(change, edit)
      return gateway.reload('operator')
    },
    dir,
    said,
    restart: async () => {
      unsubscribe('http.server.request.start', watch)
      await gateway.close(0)
      return open(opened)
    },
    close: async () => {
      unsubscribe('http.server.request.start', watch)
      await gateway.close(0)
      await removeFolder(dir)
      if (violations.length > 0) throw new Error(`openapi.yaml does not say so:\n${violations.join('\n')}`)
      if (adminViolations.length > 0)
        throw new Error(`the declared admin API does not say so:\n${adminViolations.join('\n')}`)
    },
  }
}

const withListener = (loaded: Loaded, { listener }: TestPools): Loaded => {
  const { settings } = loaded
  return listener ? { ...loaded, settings: { ...settings, listener: { ...settings.listener, ...listener } } } : loaded
}

/** The document is written for the brand `svc`. */
const inOurWords = (exchange: Exchange, brand: string): Exchange => ({
  ...exchange,
  headers: Object.fromEntries(
    Object.entries(exchange.headers).map(([name, value]) => [name.replace(`x-${brand}-`, 'x-svc-'), value]),
  ),
})

/** The data of each event of a stream, whole. */
export async function eventsOf(response: Response): Promise<string[]> {
  const text = await response.text()
  return text.split('\n\n').flatMap(event => (event.startsWith('data: ') ? [event.slice(6)] : []))
}

/** The body of an error whose `error` is an object: 429 and 402. */
export async function errorOf(response: Response): Promise<{ message: string; type: string; retry_after_ms: number }> {
  const { error } = (await response.json()) as { error: { message: string; type: string; retry_after_ms: number } }
  return error
}
