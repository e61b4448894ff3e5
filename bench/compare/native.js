// The load client and the backend, compiled from C so that neither limits the measurement.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cores, onCore } from './processes.js'

const sources = fileURLToPath(new URL('native', import.meta.url))

/** Compiles both into a directory and returns their paths. */
export function compile(directory) {
  const built = name => {
    const to = join(directory, name)
    const { status, stderr, error } = spawnSync('cc', ['-O2', '-o', to, join(sources, `${name}.c`)], {
      encoding: 'utf8',
    })
    if (error)
      throw new Error('a C compiler is needed for the load client and the backend: apt-get install gcc libc6-dev')
    if (status !== 0) throw new Error(stderr)
    return to
  }
  return { load: built('load'), backend: built('backend') }
}

const run = promisify(execFile)

/** Runs the load client with options such as `{ ports, request, connections, seconds }` and returns what it measured, times in µs. */
export async function load(program, options, core = cores.rest) {
  const [command, ...args] = onCore(core, [program, ...argsOf(options)])
  const { stdout } = await run(command, args, { maxBuffer: 1 << 20 })
  return JSON.parse(stdout)
}

/** Opens streams and holds them until `release` is called, which resolves once all are closed. */
export async function hold(program, options) {
  const [command, ...args] = onCore(cores.rest, [program, ...argsOf(options), '--idle'])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const opened = await new Promise((resolve, reject) => {
    child.stdout.once('data', text => resolve(JSON.parse(text)))
    child.once('exit', code => reject(new Error(`the load client ended with ${code}`)))
  })
  const release = async () => {
    const over = once(child, 'exit')
    child.stdin.end('over\n')
    await over
  }
  return { ...opened, release }
}

const argsOf = options => Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
