// Processes of a run: starts them on a core of their own, reads what they used, ends them.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The cores for the contender, for the measuring programs, and for both together. Processes that may use the whole machine are
 * not pinned: a pinned process sees only as many cores as it is pinned to.
 */
export const cores = { contender: 0, rest: 1, both: '0,1', all: null }
export const canPin = availableParallelism() >= 2 && spawnSync('taskset', ['--version']).status === 0

/** The command that runs another one on a core. */
export const onCore = (core, command) =>
  canPin && core !== cores.all ? ['taskset', '-c', String(core), ...command] : command

/** Moves running processes to a core, with all their threads. */
export function moveTo(core, pids) {
  if (canPin) for (const pid of pids) spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

const TRIES_PER_SECOND = 20

const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/** Starts a process and waits until it listens, for at most `seconds`. Its output goes to the file `log`, if given. */
export async function start(command, { core, port, log, env = {}, seconds = 30 }) {
  const [program, ...args] = onCore(core, command)
  const output = log ? openSync(log, 'a') : 'ignore'
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', output, output] })
  if (log) closeSync(output)
  running.add(child)
  child.once('exit', () => running.delete(child))
  const failed = once(child, 'error').then(([error]) => {
    throw error
  })
  await Promise.race([listening(child, port, log, seconds), failed])
  return child
}

async function listening(child, port, log, seconds) {
  for (let tries = 0; tries < seconds * TRIES_PER_SECOND; tries++) {
    if (child.exitCode !== null) {
      throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}\n${log ? readOr(log, '') : ''}`)
    }
    if (await answers(port)) return
    await sleep(1000 / TRIES_PER_SECOND)
  }
  throw new Error(`${child.spawnargs.join(' ')} does not listen on ${port}`)
}

function answers(port) {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true) || socket.destroy())
    socket.on('error', () => resolve(false))
  })
}

export async function stop(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = once(child, 'exit')
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await over
  clearTimeout(late)
}

/** A process and its children. */
export function familyOf(pid) {
  const text = readOr(`/proc/${pid}/task/${pid}/children`, '')
  return [pid, ...text.split(' ').filter(Boolean).map(Number).flatMap(familyOf)]
}

/** CPU time in microseconds per thread of these processes since their start. */
export function cpuOf(pids) {
  const threads = pids.flatMap(pid => {
    const tasks = readdirSync(`/proc/${pid}/task`)
    return tasks.map(task => [task, Number(readOr(`/proc/${pid}/task/${task}/schedstat`, '0').split(' ')[0]) / 1000])
  })
  return { total: threads.reduce((sum, [, micros]) => sum + micros, 0), threads: new Map(threads) }
}

/** Resident memory in bytes: the total, and the part that is not file pages. */
export function memoryOf(pids) {
  const sum = field => pids.reduce((total, pid) => total + statusOf(pid, field), 0)
  return { all: sum('VmRSS'), own: sum('RssAnon') }
}

const statusOf = (pid, field) =>
  1024 * Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readOr(`/proc/${pid}/status`, ''))?.[1] ?? 0)

function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}

/** CPU time in microseconds that this machine has spent since it started, including stolen time. */
export function machineCpu() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) * TICK_MICROS
}

const TICK_MICROS = 10_000

/** A port that nobody listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Waits until the gateway at a port takes requests. */
export async function ready(port) {
  for (let tries = 0; tries < 200; tries++) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    await response.text()
    if (response.status === 200) return
    await sleep(50)
  }
  throw new Error(`the gateway on ${port} is not ready`)
}
