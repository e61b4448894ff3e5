import type { Command } from 'commander'
import type { PoolPlace, PoolsApi } from '../../operator/gateway-calls.ts'
import { counted } from '../../policy/counted.ts'
import { figuresText } from '../../policy/traffic/canary.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { columnsOf, lengthOfTime } from '../../server/log/terminal-text.ts'
import { world } from '../../server/world.ts'
import type { ShownPool } from '../../wire/admin/pool.ts'
import type { ShownProbe, ShownResult } from '../../wire/admin/pool-probe.ts'
import type { ReplicaState, ShownReplica } from '../../wire/admin/pool-replica.ts'
import type { ShownCanary } from '../../wire/admin/pool-shares.ts'
import { dollars } from '../../wire/money.ts'
import { forPrograms } from '../kit/formats.ts'
import {
  type Changing,
  type Common,
  changing,
  gatewayOption,
  type Listing,
  listing,
  missingLines,
  monthOption,
  nameOf,
  type OfFleet,
  ofGateway,
  refuseEarlyOptions,
  sinceOption,
  untilOption,
} from '../kit/options.ts'
import { type Column, foldedText, tableText, terminalWidth, widthOf } from '../kit/table.ts'
import { asksFirst, confirm, mayAsk, writeJson, writeOut } from '../kit/terminal.ts'
import type { CompareOptions } from './compare.ts'
import { lessonsText, lessonsYaml } from './lessons-text.ts'

interface Sure extends Changing {
  readonly yes?: boolean
}

const REPLICA = 'one of its replicas, by its number or URL'
const HOLDS = 'This applies to all gateways on the store, and survives restarts.'

/** Registers `svcctl pools` and `svcctl pools drain|undrain|probe`. All need a running gateway: exit code 3 without one. */
export function registerPools(program: Command): void {
  const pools = refuseEarlyOptions(listing(program.command('pools')))
    .description(
      'show the pools and replicas of running gateways, added up: which are ok, ejected or drained. Each gateway ejects on its own',
    )
    .addOption(gatewayOption('as one gateway sees them'))
    // Otherwise --json after `probe` would be read as an option of `pools`.
    .enablePositionalOptions()
    .action((options: Listing & OfFleet) => withPools(options, operator => list(operator, options)))

  asksFirst(changing(pools.command('drain')))
    .description(`stop sending new requests to a pool or a replica; running ones finish. ${HOLDS}`)
    .argument('<pool>')
    .argument('[replica]', REPLICA)
    .action((pool: string, replica: string | undefined, options: Sure) =>
      withPools(options, operator => drain(operator, placeOf(pool, replica), options)),
    )

  changing(pools.command('undrain'))
    .description('resume sending requests to a drained pool or replica')
    .argument('<pool>')
    .argument('[replica]', REPLICA)
    .action((pool: string, replica: string | undefined, options: Changing) =>
      withPools(options, async operator => tell(await operator.undrain(placeOf(pool, replica)), options)),
    )

  ofGateway(pools.command('compare'))
    .description(
      'compare two pools on the same requests: the first one served them, the second one answered their copies (`mirror` of a model)',
    )
    .argument('<pool>', 'the pool that served the requests')
    .argument('<mirror>', 'the pool that got the copies')
    .addOption(sinceOption('requests since').default('1d'))
    .addOption(untilOption('requests before'))
    .addOption(monthOption())
    .action((pool: string, mirror: string, options: CompareOptions) =>
      withPools(options, async operator => {
        const { compare } = await import('./compare.ts')
        await compare(operator, pool, mirror, options)
      }),
    )

  ofGateway(pools.command('probe'))
    .description('probe replicas now; one that answers is readmitted. Exits 1 if a probe fails')
    .argument('[pool]', 'default: all pools')
    .argument('[replica]', REPLICA)
    .action((pool: string | undefined, replica: string | undefined, options: Common) =>
      withPools(options, operator => probe(operator, pool === undefined ? {} : placeOf(pool, replica), options)),
    )
}

async function withPools(options: Changing, run: (operator: PoolsApi) => Promise<void>): Promise<void> {
  // Only now: the configuration costs more to load than a --help may take.
  const [{ findAdminEndpoint }, { poolsOf }] = await Promise.all([
    import('../../operator/connect.ts'),
    import('../../operator/gateway-calls.ts'),
  ])
  await run(poolsOf(await findAdminEndpoint(options.config, nameOf(options))))
}

const placeOf = (pool: string, replica: string | undefined): PoolPlace & { readonly pool: string } => ({
  pool,
  ...(replica !== undefined && { replica: /^\d+$/.test(replica) ? Number(replica) : replica }),
})

async function list(operator: PoolsApi, options: Listing & OfFleet): Promise<void> {
  const found = await operator.list(options.gateway)
  const { object, data, gateways, unreached } = found
  if (gateways.length === 0)
    throw new CommandFailed(
      unreached.map(each => `✗ ${each.gateway}: ${each.problem}`).join('\n'),
      exitCodes.unreachable,
    )
  const written = forPrograms(options, { object, data }, { gateways, unreached })
  await writeOut([written ?? `${poolsText(data, world.clock.now(), gateways.length)}\n`])
  for (const line of missingLines(unreached)) console.error(line)
}

async function drain(operator: PoolsApi, place: PoolPlace & { readonly pool: string }, options: Sure) {
  if (!options.yes) {
    const models = modelsLost((await operator.list('all')).data, place)
    if (models.length > 0) {
      mayAsk(options.yes)
      await confirm(`No other healthy replica serves ${models.join(', ')} now. Drain ${place.pool} anyway?`, false)
    }
  }
  await tell(await operator.drain(place), options)
}

/** Models of the pool that would have no replica left. The gateway itself refuses unknown pools and replicas. */
export function modelsLost(pools: readonly ShownPool[], { pool: name, replica: named }: PoolPlace): readonly string[] {
  const isDrained = (pool: ShownPool, { replica, url }: ShownPool['replicas'][number]) =>
    pool.pool === name && (named === undefined || named === replica || named === url)
  const isFit = (pool: ShownPool) =>
    pool.replicas.some(replica => replica.state === 'closed' && !isDrained(pool, replica))
  const models = pools.find(({ pool }) => pool === name)?.models ?? []
  return models.filter(model => !pools.some(pool => servesAll(pool, model) && isFit(pool)))
}

/** A pool with a share of a model gets no failover traffic of it. */
const servesAll = ({ models, shares = [] }: ShownPool, model: string): boolean =>
  models.includes(model) && !shares.some(share => share.model === model)

/** Prints the pool as it is now for scripts, or a sentence for people, on stderr. */
async function tell(pool: ShownPool, { json }: Common): Promise<void> {
  if (json) return writeJson(pool)
  console.error(`✓ ${sentence(pool)}`)
  console.error(foldedText(`  ${HOLDS}`, 0, columnsOf(process.stderr)))
}

function sentence({ pool, drained, replicas, in_flight }: ShownPool): string {
  if (drained) return `${pool} is drained: it receives no new requests; ${runningText(in_flight)}.`
  const out = replicas.filter(({ state }) => state === 'drained')
  if (out.length === 0) return `${pool} takes requests on all of its replicas.`
  const places = out.map(each => `${each.replica} (${each.url}), ${each.in_flight} running`).join('; ')
  return `${pool} takes requests, except on drained replicas: ${places}.`
}

async function probe(operator: PoolsApi, place: PoolPlace, { json }: Common): Promise<void> {
  const data = await operator.probe(place)
  const ok = data.every(each => each.ok)
  await (json ? writeJson({ object: 'list', ok, data }) : writeOut([`${resultsText(data)}\n`]))
  if (!ok) process.exitCode = exitCodes.bad
}

/** Pools as people read them: a line for each, and below it one for each replica. `now` in ms since the epoch; of so many gateways. */
export function poolsText(pools: readonly ShownPool[], now: number, gateways = 1): string {
  const rows = pools.flatMap(pool => pool.replicas.map(replica => replicaCells(pool, replica, now, gateways)))
  // While all replicas are ok this column says nothing, and URLs need its room on a terminal.
  const isPiped = terminalWidth() === Number.POSITIVE_INFINITY
  const isLoadRead = pools.some(({ replicas }) => replicas.some(({ load }) => load !== undefined))
  const isCached = pools.some(looksForPrompts)
  const shown = REPLICAS.map(({ title }, column) => {
    if (title === CACHED) return isCached
    if (LOAD_COLUMNS.includes(title)) return isLoadRead
    return isPiped || title !== NEXT_TRY || rows.some(row => row[column] !== '-')
  })
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
    return [
      poolLine(pool),
      ...own,
      ...slotLines(pool),
      ...shareLines(pool),
      ...copyLines(pool, now),
      ...cachingLines(pool),
      ...learnedLines(pool),
    ].join('\n')
  })
  return [header, ...blocks, ...lines.slice(next)].join('\n')
}

const NEXT_TRY = 'NEXT-TRY'
/** Shown where a pool declares `load`. */
const LOAD_COLUMNS: readonly string[] = ['RUNNING', 'WAITING', 'KV']
/** Shown where a pool found prompts in caches, or expected to. */
const CACHED = 'CACHED'
/** The end of a URL is what replicas of a pool differ in. */
const REPLICAS: readonly Column[] = [
  { title: '  #' },
  { title: 'REPLICA', least: 28 },
  { title: 'STATE' },
  { title: 'IN-FLIGHT', gives: 3 },
  { title: 'RUNNING', gives: 6 },
  { title: 'WAITING', gives: 7 },
  { title: 'KV', gives: 4 },
  { title: CACHED, gives: 5 },
  { title: 'FAILURES', gives: 1 },
  { title: NEXT_TRY },
  { title: 'PROBE', least: 12, gives: 2 },
]

/** `cloud-core  cloud, small-chat: 3 of 50 in flight, 2 waiting, $0.12 of $5 in this hour` */
function poolLine(pool: ShownPool): string {
  const { in_flight_over_store: held } = pool
  const { in_flight, max_concurrent, waiting, queue, hour_usd, max_usd_per_hour, requests_10s, retries_10s } = pool
  const facts = [
    pool.drained ? 'DRAINED' : '',
    pool.busy === undefined ? '' : `BUSY (${pool.busy})`,
    max_concurrent === null || held !== undefined
      ? `${in_flight} in flight`
      : `${in_flight} of ${max_concurrent} in flight`,
    held === undefined ? '' : `${held} of ${max_concurrent} over all gateways`,
    queue ? `${waiting} of ${queue.max} waiting` : waiting > 0 ? `${waiting} waiting` : '',
    max_usd_per_hour === null ? '' : `${dollars(hour_usd ?? '?')} of ${dollars(max_usd_per_hour)} in this hour`,
    retries_10s > 0 ? `${retries_10s} retried of ${requests_10s} in 10 s` : '',
  ]
  const counts = facts.filter(Boolean).join(', ')
  const lines = [`${pool.site}, ${pool.model}: `, `${pool.model}: `, ''].map(what => `${pool.pool}  ${what}${counts}`)
  // Where there is no room, texts that never change are left out, and never a number.
  return lines.find(line => widthOf(line) <= terminalWidth()) ?? lines.at(-1) ?? ''
}

/** `  org:research: 10 slots guaranteed (60%), 12 in flight, 3 waiting`: for each share of the slots. */
const slotLines = ({ queue }: ShownPool): readonly string[] =>
  (queue?.shares ?? []).map(({ owner, share, guaranteed, in_flight, waiting }) => {
    const waits = waiting > 0 ? `, ${waiting} waiting` : ''
    return `  ${owner}: ${counted(guaranteed, 'slot')} guaranteed (${share}), ${in_flight} in flight${waits}`
  })

/**
 * `  gets 5% of the conversations of svc-core`, and for a canary its state and both sides:
 * `  canary of svc-core: 3 of 200 requests failed (1.5%); onprem: 1 of 200 requests failed (0.5%)`
 */
const shareLines = ({ shares = [] }: ShownPool): readonly string[] =>
  shares.flatMap(({ model, share, canary }) => [
    `  gets ${share} of the conversations of ${model}`,
    ...(canary ? [canaryLine(model, canary)] : []),
  ])

function canaryLine(model: string, { state, why, against, canary, control }: ShownCanary): string {
  const sides = `${sideText(canary)}; ${against}: ${sideText(control)}`
  return `  canary of ${model}${state === 'stopped' ? ` STOPPED (${why})` : ''}: ${sides}`
}

const sideText = ({ requests, errors, first_token_p95_ms: p95 }: ShownCanary['canary']): string =>
  figuresText({ requests, errors, ...(p95 !== null && { firstTokenP95Ms: p95 }) })

/**
 * `  gets copies of 5% of the conversations of svc-core from onprem: $1.20 of $5 in 24 hours; the newest, 3 s ago, was answered`,
 * for each model whose mirror the pool is.
 */
const copyLines = ({ copies = [] }: ShownPool, now: number): readonly string[] =>
  copies.map(({ model, sample, from, day_usd, max_usd_per_day: most, newest }) => {
    const cost = most === null ? '' : `: ${dollars(day_usd ?? '?')} of ${dollars(most)} in 24 hours`
    const last = newest ? `; the newest, ${agoText(now - Date.parse(newest.at))}, ${newest.text}` : ''
    return `  gets copies of ${sample} of the conversations of ${model} from ${from.join(', ')}${cost}${last}`
  })

/** `  found 83% of 1,204,311 prompt tokens in caches; balance: prefix, caches: account` */
function cachingLines({ caching }: ShownPool): readonly string[] {
  if (!caching) return []
  const { balance, caches, isolated, prompt_tokens } = caching
  const shared = isolated || caches === 'pool' ? '' : ' (not isolated: its backends take no cache_salt)'
  if (!looksForPrompts({ caching })) return shared === '' ? [] : [`  caches: ${caches}${shared}`]
  const found = `found ${cachedShare(caching)} of ${prompt_tokens.toLocaleString('en')} prompt tokens in caches`
  return [`  ${found}; balance: ${balance}, caches: ${caches}${shared}`]
}

/** Where nothing was found or expected, nobody looked for it, or the backends do not report it. */
const looksForPrompts = ({ caching }: Pick<ShownPool, 'caching'>): boolean =>
  caching !== undefined && caching.cached_tokens + caching.expected_tokens > 0

/** `83%`: rounded down, so that 100% is all of them. */
const cachedShare = ({ cached_tokens, prompt_tokens }: NonNullable<ShownReplica['caching']>): string =>
  prompt_tokens === 0 ? '-' : `${Math.floor((100 * cached_tokens) / prompt_tokens)}%`

/** The lessons from refusals of a pool, and how the files say them. */
function learnedLines({ learned = [] }: ShownPool): readonly string[] {
  if (learned.length === 0) return []
  return [`  learned: ${lessonsText(learned)}`, `  to make it permanent, add to the pool: ${lessonsYaml(learned)}`]
}

function replicaCells(pool: ShownPool, replica: ShownReplica, now: number, gateways: number): readonly string[] {
  const { url, state, in_flight, failures, last_probe, load, caching, seen_by } = replica
  const probe = last_probe === null ? '-' : `${resultText(last_probe)}, ${agoText(now - Date.parse(last_probe.at))}`
  const where = seen_by ? ` at ${seen_by.length} of ${gateways}` : ''
  return [
    `  ${replica.replica}`,
    url,
    `${STATES[state]}${where}`,
    String(in_flight),
    ...loadCells(load),
    caching && looksForPrompts(pool) ? cachedShare(caching) : '-',
    String(failures),
    nextTry(replica),
    probe,
  ]
}

/** Cells of the load; figures that no longer count are left out. */
function loadCells(load: ShownReplica['load']): readonly string[] {
  if (!load) return load === null ? ['?', '?', '?'] : ['-', '-', '-']
  if (load.stale) return ['?', '?', '?']
  const usage = load.kv_usage === null ? '-' : `${Math.round(load.kv_usage * 100)}%`
  return [String(load.running), String(load.waiting), usage]
}

/** The words of each state: a breaker's circuit is `closed` while all is well. */
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

const runningText = (count: number): string =>
  count === 0 ? 'none is running there' : `${counted(count, 'running request')} may finish`

/** The results of replicas' probes. */
const resultsText = (results: readonly ShownResult[]): string =>
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

const agoText = (ms: number): string => `${lengthOfTime(ms)} ago`

/** Rounded up, so that a retry does not come too early. */
const secondsText = (ms: number): string => `${Math.ceil(ms / 100) / 10} s`
