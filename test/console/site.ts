import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityProvider } from '../../demo/src/identity/provider.ts'
import { explainedLine } from '../../src/cli/explain/past.ts'
import { load } from '../../src/config/load.ts'
import type { LogEntry } from '../../src/http/log-entry.ts'
import type { RunningGateway } from '../../src/server/compose/gateway.ts'
import { startSingle } from '../../src/server/compose/single.ts'
import { examination, foundOf } from '../../src/server/examiner/examiner.ts'
import { world } from '../../src/server/world.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { freePort } from '../support/free-port.ts'
import type { RedisServer } from '../support/redis/redis.ts'

/** A gateway at an address of its own, the identity provider of the demo, and a scripted backend. */
export interface Site {
  readonly url: string
  /** Where operators come. */
  readonly admin: string
  readonly adminToken: string
  readonly issuer: string
  readonly gateway: RunningGateway
  readonly backend: Backend
  /** Its main file. */
  readonly file: string
  /** Requests that are over and in the log, oldest first. */
  readonly log: readonly LogEntry[]
  readonly redirects: Redirects
  /** Has other files taken. */
  reload(edit: (yaml: string) => string): Promise<void>
  /** The identity provider answers no more. */
  stopProvider(): void
  close(): Promise<void>
}

/** Where the provider sends browsers, in the hands of somebody in between. */
interface Redirects {
  change: (url: string) => string
}

interface SiteOptions {
  /** Makes another file of the one below. */
  readonly change?: (yaml: string) => string
  /** The name that browsers know the gateway by. */
  readonly host?: string
  /** Its clock. */
  readonly now?: () => number
  /** Its store. Absent: the embedded one. */
  readonly redis?: Pick<RedisServer, 'url'>
  /** The gateway's name in its fleet. */
  readonly name?: string
  /** Gateways of a fleet have the same one, since they ask each other with it. */
  readonly adminToken?: string
}

export async function startSite({
  change = yaml => yaml,
  host = '127.0.0.1',
  now = Date.now,
  redis,
  name,
  adminToken = randomBytes(8).toString('hex'),
}: SiteOptions = {}): Promise<Site> {
  const port = await freePort()
  const adminPort = await freePort()
  const url = `http://${host}:${port}`
  const admin = `http://127.0.0.1:${adminPort}`
  let provide: RequestListener = () => {}
  const redirects: Redirects = { change: url => url }
  const provider = createServer((request, response) => {
    const set = response.setHeader.bind(response)
    response.setHeader = (name, value) =>
      set(name, name.toLowerCase() === 'location' ? redirects.change(String(value)) : value)
    return provide(request, response)
  })
  const issuer = `http://127.0.0.1:${await listening(provider)}`
  provide = identityProvider(issuer, url, [`${url}/console`, `${admin}/console`])
  const backend = await startBackend()
  const dir = mkdtempSync(join(tmpdir(), 'svc-console-'))
  const file = join(dir, 'config.yaml')
  const yaml = change(
    yamlOf({ port, adminPort, url, issuer, backend, dir, store: redis ? redis.url : `embedded:${dir}/store` }),
  )
  writeFileSync(join(dir, 'guests'), 'guest-root-secret-of-the-tests-0001', { mode: 0o600 })
  writeFileSync(file, yaml)
  const result = load(file, {}, dir)
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 2))
  const log: LogEntry[] = []
  const gateway = await startSingle(
    result.loaded,
    // A browser and a page at work may leave Redis no processor for a second.
    { ...world, clock: { ...world.clock, now }, redisAnswerMs: 5000 },
    {
      ...(name !== undefined && { name }),
      adminToken,
      log: entry => log.push(entry),
      alarm: () => {},
      examine: async candidate => foundOf(structuredClone(examination({ file, env: {}, cwd: dir, candidate }))),
      explain: async (serving, line) => explainedLine(serving, line),
      main: file,
    },
  )
  const stopProvider = () => {
    provider.closeAllConnections()
    provider.close()
  }
  return {
    url,
    admin,
    adminToken,
    issuer,
    file,
    gateway,
    backend,
    log,
    redirects,
    reload: async edit => {
      writeFileSync(file, edit(yaml))
      await gateway.reload('operator')
    },
    stopProvider,
    close: async () => {
      await gateway.close(0)
      await backend.close()
      stopProvider()
      await removeFolder(dir)
    },
  }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

interface Places {
  readonly port: number
  readonly adminPort: number
  readonly url: string
  readonly issuer: string
  readonly backend: Backend
  readonly dir: string
  readonly store: string
}

const yamlOf = ({ port, adminPort, url, issuer, backend, dir, store }: Places): string => `
version: 1
server:
  listen: 127.0.0.1:${port}
  admin: 127.0.0.1:${adminPort}
  public_url: ${url}
  state_dir: ${dir}
  contact: mailto:operator@example.com
store: ${store}
identity:
  issuer: ${issuer}
  plan_claim: plan
  label_claim: email
  default_plan: free
  console_client_id: svc-console
  agent_secret: "file:${dir}/guests"
  claude_login: {}
guests: { plan: guest-device, usd_per_day_total: 5, secret: "file:${dir}/guests" }
plans:
  free: { models: [tier:guest, tier:basic], rpm: 20, tpm: 40k, monthly_usd: 1 }
  guest-device: { models: [tier:guest], rpm: 10, tpm: 20k, monthly_usd: 0.5 }
  pro:
    models: all
    tools: all
    rpm: 120
    tpm: 400k
    per_day: 5000
    monthly_usd: 20
    overage: { cap_usd: 100 }
models:
  svc-core: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 0.1, output: 0.4 } }
  svc-pro: { kind: chat, tier: premium, vision: true, serve: [onprem], context: 128k, usd_per_1m: { input: 0.6, output: 2.4 } }
  svc-think: { kind: chat, tier: premium, thinking: { default: false, min_max_tokens: 100 }, serve: [onprem], context: 128k, usd_per_1m: { input: 2, output: 8 } }
  svc-image: { kind: image, tier: basic, serve: [onprem], usd_per_image: { 512x512: 0.01, 1024x1024: 0.02 } }
hosted_tools: { calculator: { builtin: calculator } }
aliases: { svc-auto: svc-core }
default_model: svc-auto
pools:
  onprem: { site: on-premises, model: test-model, replicas: [${backend.url}] }
`
