// The gateway's CPU for a request where prompts decide, as a ratio of that where the less busy of two replicas gets it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from '../compare/measure.js'
import { compile } from '../compare/native.js'
import { cores, freePort, start, stop } from '../compare/processes.js'
import { writeRequests } from '../compare/requests.js'
import { median, ratio } from '../compare/stats.js'
import { openSite } from './site.js'

const MOST_RATIO = 1.03
/** Where others took more of the machine, CPU times say little. */
const MOST_OTHERS = 0.2
const ROUNDS = 15
const KINDS = { 'whole-1k': '1 KB', 'whole-32k': '32 KB' }
const LOAD = { connections: 32, seconds: 1.5, warmup: 0.2 }
const WARM = { connections: 32, seconds: 5 }

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
    for (const balance of ['prefix', 'busy']) {
      const own = join(directory, balance)
      mkdirSync(own)
      const site = await openSite({ directory: own, replicas: ports, balance, core: cores.contender })
      open.push(site.stop)
      const requests = writeRequests(own, balance, { key: await site.mint('bench') })
      contenders.push({ name: balance, ...site, requests })
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
  const [prefix, busy] = rounds
  const times = ratio(prefix, busy, ({ cpu }) => cpu)
  const [ofPrefix, ofBusy] = rounds.map(own => median(own.map(({ cpu }) => cpu)).toFixed(1))
  const others = median(rounds.flat().map(each => each.others))
  const isMet = times <= MOST_RATIO && others <= MOST_OTHERS
  const figures = `prefix ${ofPrefix} µs, busy ${ofBusy} µs of CPU a request: × ${times.toFixed(3)}`
  const gate = `≤ × ${MOST_RATIO} on a quiet machine`
  console.log(`${size}: ${figures}, others took ${Math.round(100 * others)} % of it  ${isMet ? '✓' : '✗'} ${gate}`)
  return isMet ? 0 : 1
}
