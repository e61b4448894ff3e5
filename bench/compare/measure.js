// One measurement: a contender under a load, with its results.
import { availableParallelism } from 'node:os'
import { load } from './native.js'
import { cpuOf, machineCpu, memoryOf } from './processes.js'

/**
 * Requests per second, CPU µs per request, the share of a core in use, the share of the machine that others used, the resident
 * bytes afterwards, and the µs to the first byte of the body (`first`) and to the last (`latency`). `beside` are processes that
 * belong to the measurement, such as the backend.
 */
export async function measure({ load: program, beside }, contender, options, core) {
  const { ports, pids, redis } = contender
  const besides = redis ? [...beside, redis.pid] : beside
  const before = cpuOf(pids)
  const machineBefore = machineCpu() - cpuOf(besides).total
  const begun = performance.now()
  const loaded = await load(program, { ports: ports.join(','), ...options }, core)
  const wall = 1000 * (performance.now() - begun)
  const after = cpuOf(pids)
  const machine = machineCpu() - cpuOf(besides).total - machineBefore
  const { asked, answered, seconds, failed, complaint, latency, first } = loaded
  // A gateway that sheds load closes connections.
  if (loaded.reopened > asked / 100) console.error(`${contender.name}: closed ${loaded.reopened} connections`)
  if (failed > 0) console.error(`${contender.name}: ${failed} of ${asked} failed: ${complaint}`)
  const micros = after.total - before.total
  return {
    rate: answered / seconds,
    cpu: micros / asked,
    busy: micros / wall,
    others: Math.max(0, machine - micros - loaded.cpu) / (wall * availableParallelism()),
    memory: memoryOf(pids).all,
    failed,
    asked,
    latency,
    first,
  }
}
