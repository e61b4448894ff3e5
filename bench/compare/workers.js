// Compares one process with several: CPU µs per request and process. All workers share the single process's core, with as many
// connections each. Main and the store run on the other core, as on a machine with cores to spare: on one core, each message
// to the store would interrupt the worker that sends it. `auto` alone measures how throughput grows with cores.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { startGateway } from './contenders/gateway.js'
import { open } from './contenders.js'
import { measure } from './measure.js'
import { cores, cpuOf, familyOf, moveTo } from './processes.js'
import { median, ratio } from './stats.js'

/** Rows of `{ name, rate, main, workers, store, storeThread, all, ratio }`; the CPU of a single process is under `workers`. */
export async function severalProcesses({ programs, directory, effort }) {
  const running = []
  const rounds = new Map()
  try {
    for (const { name, workers, core, connections } of compared(availableParallelism())) {
      const start = place => startGateway({ ...place, name: `workers-${workers}`, workers })
      const contender = await open({ name, isGateway: true, start }, { directory, core })
      const pids = familyOf(contender.pids[0])
      if (workers > 1)
        moveTo(
          cores.rest,
          pids.filter(pid => roleOf(pid) !== 'workers'),
        )
      running.push({ ...contender, connections, pids })
    }
    const request = each => ({ request: each.requests['whole-1k'], connections: each.connections })
    for (const each of running) {
      await measure(programs, each, { ...request(each), ...effort.warm })
      rounds.set(each.name, [])
    }
    const { seconds, warmup } = effort
    for (let round = 0; round < effort.rounds; round++)
      for (let turn = 0; turn < running.length; turn++) {
        const each = running[(turn + round) % running.length]
        rounds.get(each.name).push(await byProcess(programs, each, { ...request(each), seconds, warmup }))
      }
  } finally {
    await Promise.all(running.map(each => each.stop()))
  }
  const [alone] = rounds.values()
  const rows = [...rounds].map(([name, own]) => {
    const of = figure => median(own.map(figure))
    return {
      ...{ name, rate: of(({ rate }) => rate), all: of(({ cpu }) => cpu) },
      ...Object.fromEntries(ROLES.map(role => [role, of(round => round[role])])),
      ratio: ratio(own, alone, ({ workers }) => workers),
    }
  })
  return { rows }
}

const ROLES = ['main', 'workers', 'store', 'storeThread']

/** The compared numbers of workers on this machine: below four cores, `auto` is one process. */
function compared(machine) {
  const core = cores.contender
  const onOne = [
    { name: 'one process', workers: 1, core, connections: EACH },
    { name: 'workers: 2', workers: 2, core, connections: 2 * EACH },
  ]
  if (machine < LEAST_CORES) return onOne
  return [
    ...onOne,
    { name: `workers: auto, on all ${machine} cores`, workers: 'auto', core: cores.all, connections: machine * EACH },
  ]
}

/** Connections per worker. */
const EACH = 64

/** Equals the number in src/server/worker-count.ts. */
const LEAST_CORES = 4

async function byProcess(programs, contender, options) {
  const takenBy = () => {
    const taken = { main: 0, workers: 0, store: 0, storeThread: 0 }
    for (const pid of contender.pids) {
      const { total, threads } = cpuOf([pid])
      const role = contender.pids.length === 1 ? 'workers' : roleOf(pid)
      taken[role] += total
      if (role === 'store') taken.storeThread += threads.get(String(pid))
    }
    return taken
  }
  const before = takenBy()
  const measured = await measure(programs, contender, options)
  const after = takenBy()
  return {
    ...measured,
    ...Object.fromEntries(ROLES.map(role => [role, (after[role] - before[role]) / measured.asked])),
  }
}

function roleOf(pid) {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  if (command.includes('store-process')) return 'store'
  return command.includes('worker-process') ? 'workers' : 'main'
}
