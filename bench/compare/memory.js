// Checks whether memory grows with requests: after many of them, compared with after a tenth.
import { setTimeout as sleep } from 'node:timers/promises'
import { contendersOf, open } from './contenders.js'
import { load } from './native.js'
import { memoryOf } from './processes.js'
import { median } from './stats.js'

const SAMPLES = 10
const SAMPLE_MS = 1000

/** Rows of `{ name, requests, all, own }` in bytes. Pages of the ledger's file are only in `all`, and the kernel may reclaim them. */
export async function memoryAfter({ programs, directory, effort, missing }) {
  const rows = []
  for (const contender of contendersOf(effort).filter(each => each.isGateway && !missing(each))) {
    const fresh = await open(contender, { directory })
    try {
      let asked = 0
      for (const requests of effort.memory) {
        const options = {
          ports: fresh.ports[0],
          request: fresh.requests['whole-1k'],
          connections: 64,
          requests: requests - asked,
        }
        const { failed, complaint } = await load(programs.load, options)
        if (failed > 0) console.error(`${contender.name}: ${failed} failed: ${complaint}`)
        asked = requests
        rows.push({ name: contender.name, requests, ...(await restingMemory(fresh.pids)) })
      }
    } finally {
      await fresh.stop()
    }
  }
  return { rows, remarks: [] }
}

async function restingMemory(pids) {
  const seen = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    await sleep(SAMPLE_MS)
    seen.push(memoryOf(pids))
  }
  return { all: median(seen.map(({ all }) => all)), own: median(seen.map(({ own }) => own)) }
}
