import type { ReplicaState, ShownPool, ShownProbe, ShownReplica, ShownResult } from '../../wire/admin/pool.ts'
import { type Column, tableText, terminalWidth, widthOf } from '../table.ts'

/** Pools as people read them: a line for each, and below it one for each replica. `now` in ms since the epoch. */
export function poolsText(pools: readonly ShownPool[], now: number): string {
  const rows = pools.flatMap(({ replicas }) => replicas.map(replica => replicaCells(replica, now)))
  // While all replicas are ok this column says nothing, and URLs need its room on a terminal.
  const isPiped = terminalWidth() === Number.POSITIVE_INFINITY
  const shown = REPLICAS.map(
    ({ title }, column) => isPiped || title !== NEXT_TRY || rows.some(row => row[column] !== '-'),
  )
  const isShown = (_: unknown, column: number) => shown[column]
  const table = tableText(
    REPLICAS.filter(isShown),
    rows.map(row => row.filter(isShown)),
  )
  const [header = '', ...lines] = table.split('\n')
  let next = 0
  const blocks = pools.map(pool => {
    const own = lines.slice(next, next + pool.replicas.length)
    next += own.length
    return [poolLine(pool), ...own].join('\n')
  })
  return [header, ...blocks].join('\n')
}

const NEXT_TRY = 'NEXT-TRY'
/** The end of a URL is what replicas of a pool differ in. */
const REPLICAS: readonly Column[] = [
  { title: '  #' },
  { title: 'REPLICA', least: 28 },
  { title: 'STATE' },
  { title: 'IN-FLIGHT', gives: 3 },
  { title: 'FAILURES', gives: 1 },
  { title: NEXT_TRY },
  { title: 'PROBE', least: 12, gives: 2 },
]

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
  const counts = facts.filter(Boolean).join(', ')
  const lines = [`${pool.site}, ${pool.model}: `, `${pool.model}: `, ''].map(what => `${pool.pool}  ${what}${counts}`)
  // Where there is no room, what never changes is left out, and no number.
  return lines.find(line => widthOf(line) <= terminalWidth()) ?? lines.at(-1) ?? ''
}

function replicaCells(replica: ShownReplica, now: number): readonly string[] {
  const { url, state, in_flight, failures, last_probe } = replica
  const probe = last_probe === null ? '-' : `${resultText(last_probe)}, ${agoText(now - Date.parse(last_probe.at))}`
  return [`  ${replica.replica}`, url, STATES[state], String(in_flight), String(failures), nextTry(replica), probe]
}

/** In words: the states of a breaker are those of its circuit, in which `closed` means that all is well. */
const STATES: Readonly<Record<ReplicaState, string>> = {
  closed: 'ok',
  open: 'ejected',
  'half-open': 'on trial',
  cooling: 'paused',
  drained: 'drained',
}

function nextTry({ state, retry_in_ms }: ShownReplica): string {
  if (state === 'closed' || retry_in_ms === null) return '-'
  return retry_in_ms === 0 ? 'now' : `in ${secondsText(retry_in_ms)}`
}

/** What replicas said when they were asked. */
export const resultsText = (results: readonly ShownResult[]): string =>
  tableText(
    RESULTS,
    results.map(each => [each.pool, String(each.replica), each.url, resultText(each), String(each.ms)]),
  )

const RESULTS: readonly Column[] = [
  { title: 'POOL', least: 8 },
  { title: '#' },
  { title: 'REPLICA', least: 21 },
  { title: 'RESULT', least: 12 },
  { title: 'MS' },
]

/** `ok 200`, `status 503`, `ECONNREFUSED` */
const resultText = ({ status, error }: ShownProbe): string => error ?? `ok ${status ?? ''}`.trimEnd()

const agoText = (ms: number): string => `${Math.max(0, Math.round(ms / 1000))} s ago`

/** Rounded up, so that a retry does not come too early. */
const secondsText = (ms: number): string => `${Math.ceil(ms / 100) / 10} s`
