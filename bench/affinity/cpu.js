// The gateway's CPU for a request where prompts decide, as a ratio of that where the less busy of two replicas gets it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from '../compare/measure.js'
import { compile } from '../compare/native.js'
import { cores, freePort, start, stop } from '../compare/processes.js'
import { writeRequests } from '../compare/requests.js'
import { mean, median, medianOf, ratio } from '../compare/stats.js'
import { openSite } from './site.js'

const MOST_RATIO = 1.03
/** Where others took more of the machine, CPU times say little. */
const MOST_OTHERS = 0.2
const ROUNDS = 12
/** V8 compiles no two processes alike: one of the same build takes up to 5 % more than another, so each way has several. */
const PROCESSES = 2
const KINDS = { 'whole-1k': '1 KB', 'whole-32k': '32 KB' }
const BALANCES = ['prefix', 'busy']
const LOAD = { connections: 32, seconds: 1.5, warmup: 0.2 }
const WARM = { connections: 32, seconds: 8 }

/** Measures both in turns and prints a line for each size. Returns how many missed the gate. */
export async function compareCpu() {
  const directory = mkdtempSync(join(tmpdir(), 'affinity-cpu-'))
  const open = []
  try {
    const programs = compile(directory)
    const ports = [await freePort(), await freePort()]
    const backends = []
    for (const port of ports) backends.push(await start([programs.backend, String(port)], { core: cores.rest, port }))
    open.push(...backends.map(each => () => stop(each)))
    programs.beside = backends.map(({ pid }) => pid)
    const contenders = []
    for (let nth = 0; nth < BALANCES.length * PROCESSES; nth++) {
      const balance = BALANCES[nth % BALANCES.length]
      const name = `${balance}-${nth}`
      const own = join(directory, name)
      mkdirSync(own)
      const site = await openSite({ directory: own, replicas: ports, balance, core: cores.contender })
      open.push(site.stop)
      const requests = writeRequests(own, balance, { key: await site.mint('bench') })
      contenders.push({ name, balance, ...site, requests })
    }
    let missed = 0
    for (const [kind, size] of Object.entries(KINDS)) missed += await compareAt(programs, contenders, kind, size)
    return missed
  } finally {
    for (const close of open.toReversed()) await close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function compareAt(programs, contenders, kind, size) {
  const run = (each, options) => measure(programs, each, { ...options, request: each.requests[kind] })
  for (const each of contenders) await run(each, WARM)
  const rounds = contenders.map(() => [])
  for (let round = 0; round < ROUNDS; round++)
    for (let turn = 0; turn < contenders.length; turn++) {
      const at = (turn + round) % contenders.length
      rounds[at].push(await run(contenders[at], LOAD))
    }
  const [prefix, busy] = BALANCES.map(balance => {
    const own = rounds.filter((_, at) => contenders[at].balance === balance)
    return Array.from({ length: ROUNDS }, (_, round) => ({ cpu: mean(own.map(each => each[round].cpu)) }))
  })
  const times = ratio(prefix, busy, ({ cpu }) => cpu)
  const [ofPrefix, ofBusy] = [prefix, busy].map(own => medianOf(own, ({ cpu }) => cpu).toFixed(1))
  const others = median(rounds.flat().map(each => each.others))
  const isMet = times <= MOST_RATIO && others <= MOST_OTHERS
  const figures = `prefix ${ofPrefix} µs, busy ${ofBusy} µs of CPU a request: × ${times.toFixed(3)}`
  const gate = `≤ × ${MOST_RATIO} on a quiet machine`
  console.log(`${size}: ${figures}, others took ${Math.round(100 * others)} % of it  ${isMet ? '✓' : '✗'} ${gate}`)
  return isMet ? 0 : 1
}
