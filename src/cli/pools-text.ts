import type { ShownPool, ShownProbe, ShownReplica, ShownResult } from '../http/admin-pool-records.ts'
import { table } from './talk.ts'

/** Pools as people read them: a line for each, and below it one for each replica. `now` in ms since the epoch. */
export function poolsText(pools: readonly ShownPool[], now: number): string {
  const rows = pools.flatMap(({ replicas }) => replicas.map(replica => replicaCells(replica, now)))
  const [header = '', ...lines] = table([TITLES, ...rows]).split('\n')
  let next = 0
  const blocks = pools.map(pool => {
    const own = lines.slice(next, next + pool.replicas.length)
    next += own.length
    return [poolLine(pool), ...own].join('\n')
  })
  return [header, ...blocks].join('\n')
}

const TITLES = ['  #', 'REPLICA', 'STATE', 'IN-FLIGHT', 'FAILURES', 'NEXT-TRY', 'PROBE']

/** `cloud-core  cloud, small-chat: 3 of 50 in flight, 2 waiting, $0.12 of $5 in this hour` */
function poolLine(pool: ShownPool): string {
  const { in_flight, max_concurrent, waiting, hour_usd, max_usd_per_hour, requests_10s, retries_10s } = pool
  const facts = [
    pool.drained ? 'DRAINED' : '',
    max_concurrent === null ? `${in_flight} in flight` : `${in_flight} of ${max_concurrent} in flight`,
    waiting > 0 ? `${waiting} waiting` : '',
    max_usd_per_hour === null ? '' : `$${hour_usd ?? '?'} of $${max_usd_per_hour} in this hour`,
    retries_10s > 0 ? `${retries_10s} retried of ${requests_10s} in 10 s` : '',
  ]
  return `${pool.pool}  ${pool.site}, ${pool.model}: ${facts.filter(Boolean).join(', ')}`
}

function replicaCells(replica: ShownReplica, now: number): readonly string[] {
  const { url, state, in_flight, failures, last_probe } = replica
  const probe = last_probe === null ? '-' : `${resultText(last_probe)}, ${agoText(now - Date.parse(last_probe.at))}`
  return [`  ${replica.replica}`, url, state, String(in_flight), String(failures), nextTry(replica), probe]
}

function nextTry({ state, retry_in_ms }: ShownReplica): string {
  if (state === 'closed' || retry_in_ms === null) return '-'
  return retry_in_ms === 0 ? 'now' : `in ${secondsText(retry_in_ms)}`
}

/** What replicas said when they were asked. */
export const resultsText = (results: readonly ShownResult[]): string =>
  table([
    ['POOL', '#', 'REPLICA', 'RESULT', 'MS'],
    ...results.map(each => [each.pool, String(each.replica), each.url, resultText(each), String(each.ms)]),
  ])

/** `ok 200`, `status 503`, `ECONNREFUSED` */
const resultText = ({ status, error }: ShownProbe): string => error ?? `ok ${status ?? ''}`.trimEnd()

const agoText = (ms: number): string => `${Math.max(0, Math.round(ms / 1000))} s ago`

/** Up, so that nobody comes too early. */
const secondsText = (ms: number): string => `${Math.ceil(ms / 100) / 10} s`
