import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DemoBackends, DemoIdentity, DemoTools } from 'svc-gateway-demo'
import { type Load, load } from '../../config/load.ts'
import type { Loaded } from '../../config/settings.ts'
import { mintKey } from '../../gateway/accounts/accounts.ts'
import type { Config, Kind, Model, Plan } from '../../policy/config.ts'
import type { MainApp } from '../../server/app.ts'
import type { RunningGateway } from '../../server/compose/gateway.ts'
import { CommandFailed } from '../../server/failure.ts'
import { version } from '../../server/version.ts'
import { world } from '../../server/world.ts'
import { demoPackage } from './demo-package.ts'
import { deadDemoIn, removeDemo, saveDemo } from './demo-profile.ts'

/** The parts that make `serve` a demo: real backends, tools and a real identity provider as child processes, free ports, and a store that does not stay. */
export interface Demo {
  readonly backends: DemoBackends['backends']
  /** The parts that this demo has to do without, a sentence each. */
  readonly missing: DemoBackends['missing']
  readonly identity: DemoIdentity
  readonly tools: DemoTools
  readonly plan: string
  /** The main file, absolute. */
  readonly config: string
  /** The variables that its files read. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The ports of the API and of the admin listener. */
  readonly ports: { readonly listen: HeldPort; readonly admin: HeldPort }
  /** Lets the gateway listen on its ports, which are held until then. */
  releasePorts(): Promise<unknown>
  /** Loads the configuration of this package for what the demo started. */
  load(): Load
  /** The full value of a fresh key. */
  mintKey(gateway: RunningGateway<MainApp>): Promise<string>
  /** Has the commands that are run in this folder find the demo, until it is closed. Why they cannot, where that failed. */
  keepProfile(): string | undefined
  /** Calls the listener with what ended before `close`: a backend by its name, or the tools. */
  onExit(listener: (what: string) => void): void
  close(): Promise<void>
}

export interface DemoOptions {
  /** The port of the API; without it 8080, or any free port where 8080 is taken. */
  readonly port?: number
}

const STATE = 'svc-demo-'

/** Starts the backends, the tools and the identity provider, and finds room for the rest. */
export async function prepareDemo({ port }: DemoOptions = {}): Promise<Demo> {
  const { launchBackends, launchIdentity, launchTools } = await demoPackage()
  clearUp()
  const state = newState()
  const forget = (error: unknown): never => {
    rmSync(state, { recursive: true, force: true })
    throw error
  }
  const listen = await (port === undefined ? freePort(8080) : wantedPort(port)).catch(forget)
  const admin = await freePort(9090).catch(forget)
  const releasePorts = () => Promise.all([listen.release(), admin.release()])
  const publicUrl = publicUrlOf(listen.port)
  const [backends, identity, tools] = await allOrNone(
    launchBackends(),
    launchIdentity(publicUrl),
    launchTools({ docs: ROOT, version }),
  ).catch(async error => {
    await releasePorts()
    return forget(error)
  })
  const own = { ...backends.env, ...tools.env, ...variablesOf(listen, admin, identity, state) }
  const env = { ...process.env, ...own }
  return {
    backends: backends.backends,
    missing: backends.missing,
    identity,
    tools,
    plan: PLAN,
    config: CONFIG,
    env,
    ports: { listen, admin },
    releasePorts,
    load: () => {
      const result = load(CONFIG, env, process.cwd())
      if (!result.ok || backends.env.ONPREM_EMBED !== undefined) return result
      return { ...result, loaded: without('embedding', result.loaded) }
    },
    mintKey: mintDemoKey,
    keepProfile: () => {
      try {
        saveDemo(process.cwd(), { pid: process.pid, config: CONFIG, env: own, state })
        return undefined
      } catch (error) {
        if (error instanceof CommandFailed) return error.message
        throw error
      }
    },
    onExit: listener => {
      backends.onExit(name => listener(`backend ${name}`))
      tools.onExit(() => listener(`the ${tools.name}`))
    },
    close: async () => {
      await Promise.all([backends, identity, tools].map(part => part.close()))
      removeDemo(process.cwd(), process.pid)
      rmSync(state, { recursive: true, force: true })
    },
  }
}

/** The variables that the demo's files read, beside the addresses of its backends and tools. */
const variablesOf = (
  listen: Pick<HeldPort, 'port'>,
  admin: Pick<HeldPort, 'port'>,
  { issuer }: Pick<Demo['identity'], 'issuer'>,
  state: string,
) => ({
  LISTEN: `127.0.0.1:${listen.port}`,
  ADMIN: `127.0.0.1:${admin.port}`,
  PUBLIC_URL: publicUrlOf(listen.port),
  AUTH_URL: issuer,
  STATE_DIR: state,
  STORE: `embedded:${join(state, 'store')}`,
})

const mintDemoKey: Demo['mintKey'] = async ({ store, app }) => {
  const { value } = await mintKey(store.keys, world.random, {
    brand: app.settings.brand,
    label: 'demo',
    plan: PLAN,
    most: app.settings.limits.keysPerAccount,
    by: 'demo',
  })
  if (value === undefined) throw new Error('the store of a demo had a key already')
  return value
}

/** The plan of the key that the demo shows. */
const PLAN = 'pro'
/** The root of this package, whose documents the demo searches. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const CONFIG = join(ROOT, 'config.example.yaml')

/** Removes the leftovers of a killed demo in this folder. */
function clearUp(): void {
  const dead = deadDemoIn(process.cwd())
  if (!dead) return
  removeDemo(process.cwd(), dead.pid)
  if (basename(dead.state).startsWith(STATE)) rmSync(dead.state, { recursive: true, force: true })
}

function newState(): string {
  try {
    return mkdtempSync(join(tmpdir(), STATE))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CommandFailed(
      `✗ the demo keeps its store in a temporary folder, and cannot make one in ${tmpdir()} (${code}): set TMPDIR to a folder that you may write to`,
    )
  }
}

const publicUrlOf = (port: number): string => `http://localhost:${port}`

/** Starts all parts, or none: those that started are closed when another could not. */
async function allOrNone<Parts extends readonly Closing[]>(
  ...starts: { [P in keyof Parts]: Promise<Parts[P]> }
): Promise<Parts> {
  const started = await Promise.allSettled(starts)
  if (started.some(one => one.status === 'rejected')) {
    await Promise.all(started.map(one => one.status === 'fulfilled' && one.value.close()))
  }
  return Promise.all(starts)
}

interface Closing {
  close(): Promise<void>
}

/**
 * The loaded configuration, as if no model of a kind, and no pool that only such models use, had been declared.
 * Not for chat models, one of which is the default.
 */
export function without(kind: Exclude<Kind, 'chat'>, { config, settings, ...rest }: Loaded): Loaded {
  const models = only(config.models, model => model.kind !== kind)
  const used = new Set([...models.values()].flatMap(({ serve }) => serve))
  const pools = only(config.pools, pool => used.has(pool))
  const aliases = only(config.aliases, ({ model }) => models.has(model.name))
  const plans = new Map([...config.plans].map(([slug, plan]) => [slug, planOf(plan, models)]))
  const backends = only(settings.backends, (_, name) => pools.has(name))
  return {
    ...rest,
    config: Object.freeze({ ...config, plans, models, pools, aliases, ...namedPlans(config, plans) }),
    settings: { ...settings, backends },
  }
}

const planOf = (plan: Plan, models: ReadonlyMap<string, Model>): Plan =>
  Object.freeze({ ...plan, models: only(plan.models, (_, name) => models.has(name)) })

/** The plans that a configuration names, among those that took their places. */
function namedPlans(
  { defaultPlan, guestPlan }: Config,
  plans: Config['plans'],
): Pick<Config, 'defaultPlan' | 'guestPlan'> {
  const [ofAccounts, ofGuests] = [defaultPlan, guestPlan].map(plan => plan && plans.get(plan.name))
  return { ...(ofAccounts && { defaultPlan: ofAccounts }), ...(ofGuests && { guestPlan: ofGuests }) }
}

const only = <T>(all: ReadonlyMap<string, T>, wanted: (one: T, name: string) => boolean): ReadonlyMap<string, T> =>
  new Map([...all].filter(([name, one]) => wanted(one, name)))

/** A port of 127.0.0.1 that is held, so that no other process takes it before it is used. */
export interface HeldPort {
  readonly port: number
  /** The port that was preferred, where another process has it. */
  readonly taken?: number
  /** Lets it be listened on. */
  release(): Promise<void>
}

/** The preferred port where it is free, else any. */
async function freePort(preferred: number): Promise<HeldPort> {
  const held = await hold(preferred)
  if (held) return held
  const other = await hold(0)
  if (other) return { ...other, taken: preferred }
  throw new CommandFailed('✗ no port of 127.0.0.1 is free')
}

/** The port that was asked for. Rejects with CommandFailed where it is taken. */
async function wantedPort(port: number): Promise<HeldPort> {
  const held = await hold(port)
  if (held) return held
  throw new CommandFailed(
    `✗ port ${port} is taken by another process, or needs a privilege: choose another one with --port`,
  )
}

/** Undefined where it is taken, also on ::1, which `localhost` may mean. */
async function hold(wanted: number): Promise<HeldPort | undefined> {
  const server = await listening(wanted, '127.0.0.1')
  if (!server || server === 'no-address') return undefined
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const six = await listening(port, '::1')
  const release = () =>
    Promise.all([server, six].map(each => (each && each !== 'no-address' ? closed(each) : undefined)))
  if (six) return { port, release: async () => void (await release()) }
  await release()
  return undefined
}

/** Undefined where the port cannot be had; `no-address` on a machine without that one. */
async function listening(port: number, host: string): Promise<Server | 'no-address' | undefined> {
  const server = createServer(socket => socket.destroy())
  server.listen(port, host)
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' ? 'no-address' : undefined
  }
}

async function closed(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}
