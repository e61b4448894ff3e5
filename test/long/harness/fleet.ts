import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { Program } from '../../cli/program.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { childrenOf } from '../../server/workers/tree.ts'
import { childEnv } from '../../support/child-env.ts'
import type { Account } from './client.ts'
import type { Site } from './site.ts'

const FILE = 'config.yaml'
export const ADMIN_TOKEN = 'long-admin-token'
/** A store that is shared needs one for `guests`. */
const GUEST_SECRET = 'long-guest-secret-of-32-characters'
/** Flags of gateways whose `memory` is asked for. */
export const MEASURED = ['--expose-gc', '--import', new URL('../memory.js', import.meta.url).href]
const skewed = fileURLToPath(new URL('../skewed.js', import.meta.url))

export interface FleetTerms {
  readonly program: Program
  readonly site: Pick<Site, 'url'>
  /** Base URLs in place of the site's. */
  readonly replicas?: readonly string[]
  /** More YAML for the pool: `idle_timeout: 2s`. */
  readonly pool?: string
  /** Flags for node, such as `--expose-gc`. */
  readonly flags?: readonly string[]
  /** `redis://…`; without it one gateway on an embedded store. */
  readonly redis?: string
  /** YAML, one line for each plan; they get the model of the site. */
  readonly plans: Readonly<Record<string, string>>
  /** The fields of `limits`. */
  readonly limits?: string
  /** More fields of `server`: `workers: 4`. */
  readonly server?: string
  /** More models, a line each, and more sections of the file. */
  readonly models?: string
  readonly yaml?: string
  /** One gateway each; how far its clock is ahead, in ms. */
  readonly clocks?: readonly number[]
}

/** Gateways of one configuration and store, each a process of its own. */
export class Fleet {
  readonly gateways: readonly Gateway[]
  readonly #dir: string

  constructor({ program, redis, clocks = [0], flags = [], ...terms }: FleetTerms) {
    const dir = mkdtempSync(join(tmpdir(), 'svc-long-'))
    this.#dir = dir
    this.gateways = clocks.map((skew, number) => {
      const stateDir = join(dir, `gateway-${number}`)
      mkdirSync(stateDir)
      const file = join(stateDir, FILE)
      writeFileSync(file, yamlOf({ ...terms, stateDir, store: redis ?? `embedded:${dir}/store` }))
      const words =
        skew === 0 ? [program.main, 'serve', '-c', file] : [skewed, join(program.main, '../..'), file, `${skew}`]
      return new Gateway([...flags, ...words], stateDir)
    })
  }

  /** The only one, or the first. */
  get first(): Gateway {
    const [first] = this.gateways
    if (!first) throw new Error('there is no gateway')
    return first
  }

  async start(): Promise<void> {
    await Promise.all(this.gateways.map(gateway => gateway.start()))
  }

  /** Mints a key for a new account. */
  async mint(label: string, plan: string): Promise<Account> {
    const { status, body } = await this.first.ask('POST', '/admin/keys', { account: label, plan })
    const { account, value } = JSON.parse(body) as { account: string; value: string }
    if (status !== 200) throw new Error(`no key for ${label}: ${body}`)
    return { label, account, plan, key: value }
  }

  /** Alarms of the gateways that no outage explains. */
  faults(): string[] {
    return this.gateways.flatMap(({ alarms }) => alarms.filter(line => line.includes('unexpected error')))
  }

  /** Why gateways held the store for down, each cause with how often. */
  downs(): string {
    const causes = this.gateways.flatMap(({ alarms }) => alarms.filter(line => line.includes('the store is down')))
    const counts = new Map<string, number>()
    for (const cause of causes) counts.set(cause, (counts.get(cause) ?? 0) + 1)
    return [...counts].map(([cause, count]) => `${count} × ${cause}`).join(', ')
  }

  async close(): Promise<void> {
    await Promise.all(this.gateways.map(gateway => gateway.kill()))
    await removeFolder(this.#dir)
  }
}

const running = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** One `svcctl serve`; its addresses change with every start. */
export class Gateway {
  url = ''
  admin = ''
  readonly stateDir: string
  /** Alarms for its operator, oldest first. */
  readonly alarms: string[] = []
  readonly #words: readonly string[]
  #child: ChildProcess | undefined

  constructor(words: readonly string[], stateDir: string) {
    this.#words = words
    this.stateDir = stateDir
  }

  /** The id of its process, while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The file that it serves. */
  get file(): string {
    return join(this.stateDir, FILE)
  }

  /** Its workers, where it has some, oldest first. */
  get workers(): readonly number[] {
    return this.pid === undefined ? [] : childrenOf(this.pid, 'worker-process').toSorted((a, b) => a - b)
  }

  /** Resolves once it serves; rejects when it ends instead. */
  async start(): Promise<void> {
    const env = childEnv({ NO_COLOR: '1', SVCCTL_TOKEN: ADMIN_TOKEN, SVC_GUEST_SECRET: GUEST_SECRET })
    const child = spawn(process.execPath, this.#words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    createInterface({ input: child.stderr }).on('line', line => this.alarms.push(line))
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', line => {
        this.url = /listens on (\S+)/.exec(line)?.[1] ?? this.url
        this.admin = /^ +Admin +(\S+)/.exec(line)?.[1] ?? this.admin
        if (/^ +Policy/.test(line)) resolve()
      })
      child.once('exit', () => reject(new Error(`the gateway ended:\n${this.alarms.slice(-20).join('\n')}`)))
    })
  }

  /** Ends it as `kill -9` does, while it starts or soon after. */
  async startAndKill(afterMs: number): Promise<void> {
    // Whether it came to serve does not matter.
    const started = this.start().catch(() => {})
    await sleep(afterMs)
    await this.kill()
    await started
  }

  /** Ends it as `kill -9` does. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  /** Has it leave. Resolves with its exit code. */
  async drain(): Promise<number | null> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return null
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = (await exit) as [number | null]
    return code
  }

  /** Memory after a collection, in bytes, of the process or of a worker, if its flags are MEASURED. */
  async memory(pid = this.pid): Promise<NodeJS.MemoryUsage> {
    const before = this.alarms.length
    if (pid !== undefined) process.kill(pid, 'SIGUSR2')
    for (;;) {
      const line = this.alarms.slice(before).find(text => text.startsWith('memory '))
      if (line) return JSON.parse(line.slice('memory '.length)) as NodeJS.MemoryUsage
      await sleep(20)
    }
  }

  /** Asks its admin listener. */
  async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<{ status: number; body: string }> {
    const answer = await request(this.admin + path, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: await answer.body.text() }
  }
}

interface YamlTerms
  extends Pick<FleetTerms, 'site' | 'replicas' | 'pool' | 'plans' | 'limits' | 'server' | 'models' | 'yaml'> {
  readonly stateDir: string
  readonly store: string
}

/** All clients of these tests come from one address, and the machine may have other things to do. */
const yamlOf = ({
  site,
  replicas = [site.url],
  pool = '',
  plans,
  stateDir,
  store,
  limits = 'connections_per_ip: 10k, shed_load: false',
  server = '',
  models = '',
  yaml = '',
}: YamlTerms): string => `
version: 1
limits: { ${limits} }
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ${stateDir}, ${server} }
store: ${store}
plans:
${Object.entries(plans)
  .map(([name, limits]) => `  ${name}: { models: all, ${limits} }`)
  .join('\n')}
models:
  svc-core:
    kind: chat
    tier: guest
    serve: [site]
    context: 32k
    usd_per_1m: { input: 1, output: 10 }
${models}
default_model: svc-core
pools:
  site: { site: on-premises, model: test-model, replicas: ${JSON.stringify(replicas)}, ${pool} }
${yaml}
`
