// Describes the machine that a run was made on.
import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { findPackage } from './deps.js'
import { canPin } from './processes.js'

const said = (command, ...args) => {
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  return error ? undefined : `${stdout}${stderr}`.trim().split('\n')[0]
}

/** Lines for the report. `directory` is where the ledger is. */
export function describeMachine(directory) {
  const [first] = cpus()
  return [
    `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${(totalmem() / 2 ** 30).toFixed(1)} GB, Linux ${release()}`,
    `Node ${process.versions.node}, undici ${findPackage('undici')?.version}; ${[said('nginx', '-v'), said('redis-server', '--version')?.slice(0, 20)].filter(Boolean).join('; ')}`,
    `the ledger on ${said('stat', '-f', '-c', '%T', directory)}`,
    canPin
      ? 'contenders on core 0 by turns; load client, backend and Redis on core 1'
      : 'NOT PINNED: taskset or a second core is missing, so that the load client takes from whom it measures',
  ]
}

const PARSES = 2000

/** CPU µs to parse 32 KB of JSON right now: other load on the machine slows every process down. */
export function speedNow() {
  const json = JSON.stringify(
    Array.from({ length: 400 }, (_, n) => ({ role: 'user', content: `message ${n} of a long conversation` })),
  )
  const before = process.cpuUsage()
  for (let parse = 0; parse < PARSES; parse++) JSON.parse(json)
  const { user, system } = process.cpuUsage(before)
  return `${((user + system) / PARSES / (json.length / 32_768)).toFixed(0)} µs`
}

export const loadNow = () =>
  loadavg()
    .map(load => load.toFixed(2))
    .join(' ')
