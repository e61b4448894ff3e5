// Memory per open stream in a warm process, excluding the young generation that the process had before.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { contendersOf, open } from './contenders.js'
import { hold, load } from './native.js'
import { memoryOf } from './processes.js'

const OPENED_PER_SECOND = 1000
const REST_MS = 5000

/** The number of streams that fit into the file limit: each needs a connection to the backend, and the process needs some files. */
function streamsWithin(wanted) {
  const limit = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024)
  return Math.min(wanted, Math.floor((limit - 200) / 2))
}

/** Rows of `{ name, streams, bytes }`, one per contender that can hold as many, and remarks on what was not as requested. */
export async function idleStreams({ programs, directory, effort, missing }) {
  const streams = streamsWithin(effort.idleStreams)
  const remarks =
    streams < effort.idleStreams
      ? [
          `${streams} streams in place of ${effort.idleStreams}: a process may open too few files; raise the hard limit (ulimit -Hn) to ${2 * effort.idleStreams + 200}`,
        ]
      : []
  const rows = []
  for (const contender of contendersOf(effort).filter(each => !each.isPeer && !missing(each))) {
    const fresh = await open(contender, { directory })
    try {
      rows.push({ name: contender.name, ...(await withStreams(programs, fresh, streams, effort.warm)) })
    } finally {
      await fresh.stop()
    }
  }
  return { rows, remarks }
}

async function withStreams(programs, { ports, pids, requests }, streams, warm) {
  const to = { ports: ports.join(',') }
  await load(programs.load, { ...to, request: requests['whole-1k'], connections: 64, ...warm })
  await sleep(REST_MS)
  const before = memoryOf(pids)
  const held = await hold(programs.load, {
    ...to,
    request: requests.idle,
    connections: streams,
    rate: OPENED_PER_SECOND,
  })
  await sleep(REST_MS)
  const after = memoryOf(pids)
  await held.release()
  if (held.failed > 0) console.error(`${held.failed} of ${streams} streams failed: ${held.complaint}`)
  return {
    streams: held.open,
    failed: held.failed,
    before: before.all,
    after: after.all,
    each: (after.all - before.all) / held.open,
  }
}
