import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cores, start, stop } from '../processes.js'

const here = fileURLToPath(new URL('../../..', import.meta.url))
const svcctlOf = root => join(root, 'bin', 'svcctl.js')
const unit = new URL('../../../deploy/svc-gateway.service', import.meta.url)

/** The whole configuration, with limits that the load does not reach. */
const configuration = ({ port, admin, backend, store, directory, sheds, workers }) => `version: 1
server:
  listen: 127.0.0.1:${port}
  admin: 127.0.0.1:${admin}
  state_dir: ${directory}${workers === 1 ? '' : `\n  workers: ${workers}`}
store: ${store}
limits: { connections: 100k, connections_per_ip: 100k, shed_load: ${sheds} }
failover: { idle_timeout: 600s }

models:
  svc-core:
    kind: chat
    tier: guest
    serve: [core, spare]
    context: 128k
    usd_per_1m: { input: 0.10, output: 0.40 }
  svc-pro:
    kind: chat
    tier: standard
    serve: [core]
    context: 128k
    usd_per_1m: { input: 0.60, output: 2.40 }
aliases: { svc-auto: svc-core }
default_model: svc-auto

plans:
  free: { models: ["tier:guest"], rpm: 20, tpm: 40k, monthly_usd: 1 }
  bench: { models: ["tier:guest", "tier:standard"], rpm: 1000M, tpm: 1000M, per_day: 1000M, monthly_usd: 1000000, overage: true }

pools:
  core:
    site: here
    replicas: [http://127.0.0.1:${backend}/v1]
    model: bench-model
  spare:
    site: there
    replicas: [http://127.0.0.1:${backend}/v1]
    model: bench-model

routes:
  - name: long-input
    when: { input_tokens: { over: 100k } }
    use: svc-pro
`

/**
 * Starts `svcctl serve` as users do. `store` is as in the configuration (default: embedded), `hook` a module that the process
 * loads first, `workers` their number, `env` its environment, and `root` the built project to start (default: this one). A
 * gateway that does not shed keeps its connections on a busy machine.
 */
export async function startGateway({
  name,
  port,
  directory,
  core = cores.contender,
  hook,
  env,
  root = here,
  ...place
}) {
  const own = join(directory, `${name}-${port}`)
  mkdirSync(own, { recursive: true })
  const file = join(own, 'config.yaml')
  const { backend, store = `embedded:${own}/ledger`, sheds = true, workers = 1 } = place
  writeFileSync(file, configuration({ port, admin: port + 50, backend, store, directory: own, sheds, workers }))
  const hooks = hook ? ['--import', hook] : []
  // Output goes to a file, as a service's does: the line for each request is part of the cost.
  const log = join(own, 'log')
  const command = [process.execPath, ...hooks, svcctlOf(root), 'serve', '-c', file]
  // The admin listener is the last to open.
  const child = await start(command, { core, port: port + 50, log, env: { ...unitEnvironment(), ...env } })
  return { ports: [port], pids: [child.pid], file, root, stop: () => stop(child) }
}

/** The settings for Node and the C library from deploy/svc-gateway.service. */
function unitEnvironment() {
  const settings = readFileSync(unit, 'utf8').matchAll(/^Environment=(NODE_OPTIONS|MALLOC_ARENA_MAX)=(.+)$/gm)
  return Object.fromEntries(Array.from(settings, ([, name, value]) => [name, value]))
}

/** Mints a key on the plan without limits that the load would reach. */
export function mintKey({ file, root }) {
  const args = [svcctlOf(root), 'keys', 'mint', '--plan', 'bench', '--account', 'bench@example.com', '-c', file]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`no key: ${stdout}${stderr}`)
  return stdout.trim()
}
