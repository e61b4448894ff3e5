import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Load, load } from '../config/load.ts'
import { without } from '../config/without.ts'
import { type DemoIdentity, launchIdentity } from '../demo/identity/launch.ts'
import { type DemoBackends, launchBackends } from '../demo/launch.ts'
import { type DemoTools, launchTools } from '../demo/tools/launch.ts'
import { mintKey } from '../gateway/accounts.ts'
import type { RunningGateway } from './gateway.ts'
import { version } from './version.ts'
import { world } from './world.ts'

/** The plan of the key that the demo shows. */
const PLAN = 'pro'
const CONFIG = fileURLToPath(new URL('../../config.example.yaml', import.meta.url))

/** What makes `serve` a demo: real backends, tools and a real identity provider as child processes, free ports, and a store that does not stay. */
export interface Demo {
  readonly backends: DemoBackends['backends']
  /** What this demo has to do without, a sentence each. */
  readonly missing: DemoBackends['missing']
  readonly identity: DemoIdentity
  readonly tools: DemoTools
  readonly plan: string
  /** Loads the configuration of this package for what the demo started. */
  load(): Load
  /** The full value of a fresh key. */
  mintKey(gateway: RunningGateway): Promise<string>
  /** Calls the listener with what ended before `close`: a backend by its name, or the tools. */
  onExit(listener: (what: string) => void): void
  close(): Promise<void>
}

/** Starts the backends, the tools and the identity provider, and finds room for the rest. */
export async function prepareDemo(): Promise<Demo> {
  const state = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  const ports = Promise.all([freePort(8080), freePort(9090)])
  const identityStarts = ports.then(([listen]) => launchIdentity(publicUrlOf(listen)))
  const [backends, identity, tools] = await allOrNone(launchBackends(), identityStarts, launchTools(version))
  const [listen, admin] = await ports
  const env = {
    ...process.env,
    ...backends.env,
    ...tools.env,
    LISTEN: `127.0.0.1:${listen}`,
    ADMIN: `127.0.0.1:${admin}`,
    PUBLIC_URL: publicUrlOf(listen),
    AUTH_URL: identity.issuer,
    STATE_DIR: state,
    STORE: `embedded:${join(state, 'store')}`,
  }
  return {
    backends: backends.backends,
    missing: backends.missing,
    identity,
    tools,
    plan: PLAN,
    load: () => {
      const result = load(CONFIG, env, process.cwd())
      if (!result.ok || backends.env.ONPREM_EMBED !== undefined) return result
      return { ...result, loaded: without('embedding', result.loaded) }
    },
    mintKey: async ({ store, app }) => {
      const { value } = await mintKey(store, world.random, {
        brand: app.settings.brand,
        label: 'demo',
        plan: PLAN,
        by: 'demo',
      })
      if (value === undefined) throw new Error('the store of a demo had a key already')
      return value
    },
    onExit: listener => {
      backends.onExit(name => listener(`backend ${name}`))
      tools.onExit(() => listener(`the ${tools.name}`))
    },
    close: async () => {
      await Promise.all([backends, identity, tools].map(part => part.close()))
      rmSync(state, { recursive: true, force: true })
    },
  }
}

const publicUrlOf = (port: number): string => `http://localhost:${port}`

/** What all start; what some of them started is ended when another could not. */
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

/** The port people expect if nobody listens there, else any free one. */
async function freePort(preferred: number): Promise<number> {
  for (const port of [preferred, 0]) {
    const server = createServer()
    server.listen(port, '127.0.0.1')
    const bound = await once(server, 'listening').then(
      () => server.address(),
      // Taken: the next candidate.
      () => null,
    )
    if (bound === null || typeof bound === 'string') continue
    server.close()
    await once(server, 'close')
    return bound.port
  }
  throw new Error('no free port on 127.0.0.1')
}
