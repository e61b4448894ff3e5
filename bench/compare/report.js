// The tables, in Markdown.
import { contenderNames } from './contenders.js'
import { added, median, medianOf, ratio } from './stats.js'
import { isReached, targets } from './targets.js'

const { bare, direct } = contenderNames
const number = (value, digits = 0) =>
  value === undefined || Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const percent = (rounds, share) => `${number(100 * medianOf(rounds, share))} %`
const milliseconds = micros => number(micros / 1000, 3)
const megabytes = bytes => number(bytes / 1e6, 1)

/** Formats rows of cells as a table whose first column is left-aligned. */
function table(head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n')
}

const rate = round => round.rate
const cpu = round => round.cpu
const failures = own => String(own.reduce((sum, { failed }) => sum + failed, 0))

/**
 * Columns of the rounds in which each contender gets as much load as it can take; `base` names the contender that all are
 * compared with.
 */
const loadColumns = (base, name) => [
  ['per second', own => number(medianOf(own, rate))],
  [`× ${name}`, own => base && number(ratio(own, base, rate), 3)],
  ['CPU µs each', own => number(medianOf(own, cpu), 1)],
  ['least', own => number(Math.min(...own.map(cpu)), 1)],
  [`CPU of ${name} ÷ own`, own => base && number(ratio(base, own, cpu), 3)],
  ['of its core', own => percent(own, round => round.busy)],
  ['others', own => percent(own, round => round.others)],
  ['p99 ms', own => milliseconds(medianOf(own, round => round.latency.p99))],
  ['RSS MB', own => megabytes(medianOf(own, round => round.memory))],
  ['failed', failures],
]

/** Columns of the rounds with a light load, which measure latency; `base` has the rounds of the backend itself. */
const additionColumns = (base, of) => {
  const taken = percentile => own => milliseconds(medianOf(own, round => round[of][percentile]))
  const more = percentile => own => milliseconds(added(own, base, round => round[of][percentile]))
  return [
    ['p50 ms', taken('p50')],
    ['p99 ms', taken('p99')],
    ['added p50', more('p50')],
    ['added p99', more('p99')],
    ['CPU µs each', own => own !== base && number(medianOf(own, cpu), 1)],
    ['others', own => percent(own, round => round.others)],
    ['failed', failures],
  ]
}

/** One row per contender. */
function tableOf(rounds, columns) {
  const rows = [...rounds].map(([name, own]) => [name, ...columns.map(([, show]) => show(own) || '–')])
  return table(['', ...columns.map(([head]) => head)], rows)
}

/** Compares with bare undici, or with this gateway when another build of it is measured. */
function throughput(rounds) {
  const [first] = rounds
  return rounds.has(bare)
    ? tableOf(rounds, loadColumns(rounds.get(bare), 'bare'))
    : tableOf(rounds, loadColumns(first?.[1], first?.[0]))
}
const additions = (rounds, of) => tableOf(rounds, additionColumns(rounds.get(direct), of))

const ownTables = {
  'redis-pair': ({ rows, ratio: times }) =>
    `${table(
      ['', 'per second', 'CPU µs each'],
      rows.map(({ name, rate, cpu }) => [name, number(rate), number(cpu, 1)]),
    )}\n\n× ${number(times, 2)}`,
  workers: ({ rows }) =>
    table(
      ['', 'per second', 'main', 'workers', 'store', 'its main thread', 'all', 'workers, of one process'],
      rows.map(row => [
        row.name,
        number(row.rate),
        ...[row.main, row.workers, row.store, row.storeThread, row.all].map(micros => number(micros, 1)),
        `× ${number(row.ratio, 2)}`,
      ]),
    ),
  idle: ({ rows }) =>
    table(
      ['', 'streams', 'RSS before, MB', 'RSS with them, MB', 'KB each', 'failed'],
      rows.map(row => [
        row.name,
        number(row.streams),
        megabytes(row.before),
        megabytes(row.after),
        number(row.each / 1000, 1),
        String(row.failed),
      ]),
    ),
  memory: ({ rows }) =>
    table(
      ['', 'requests', 'own memory, MB', 'RSS with pages of files, MB'],
      rows.map(({ name, requests, own, all }) => [name, number(requests), megabytes(own), megabytes(all)]),
    ),
}

/** The report's section on one case. */
function section(name, { title, paced, adds }, result) {
  const said = result.remarks?.map(remark => `${remark}.\n\n`).join('') ?? ''
  if (result.rounds) {
    const note = paced ? "\n\nTheir pace is the backend's: compare the CPU." : ''
    return `## ${title}\n\n${adds ? additions(result.rounds, adds) : throughput(result.rounds)}${commandsText(result.rounds)}${note}\n`
  }
  return `## ${title}\n\n${said}${result.rows.length > 0 ? ownTables[name](result) : ''}\n`
}

function commandsText(rounds) {
  const last = [...rounds.values()].map(own => own.at(-1).commands).find(commands => Object.keys(commands).length > 0)
  if (!last) return ''
  const calls = Object.entries(last).map(([name, count]) => `${name} ${number(count, 2)}`)
  return `\n\nRedis, calls for each request: ${calls.join(', ')} (those of scripts included).`
}

function targetTable(results) {
  const rows = targets.map(target => {
    const { what, least, most, aim, unit = '', of } = target
    const figure = of(results)
    const wanted = `${least === undefined ? `≤ ${most}` : `≥ ${least}`} ${unit}${aim ? ` (aim ${aim})` : ''}`.trim()
    const verdict = figure === undefined ? 'not measured' : isReached(target, figure) ? 'yes' : '**no**'
    return [what, wanted, `${number(figure, 2)} ${figure === undefined ? '' : unit}`.trim(), verdict]
  })
  return table(['', 'wanted', 'measured', 'reached'], rows)
}

/** From this share on, the load of other processes explains more than the measurement does. */
const DISTURBED = 0.1

function disturbance(results) {
  const shares = Object.values(results).flatMap(({ rounds }) =>
    [...(rounds?.values() ?? [])].flat().map(({ others }) => others),
  )
  const share = shares.length > 0 ? median(shares) : 0
  if (share < DISTURBED) return ''
  return `**Disturbed:** in half of the measurements others took more than ${number(100 * share)} % of the machine. Do not quote this run.\n\n`
}

/** The whole report of a run. */
export function report({ machine, moments, effort, left, cases, results }) {
  const { before, after } = moments
  const names = Object.keys(results)
  const missing = left.map(why => `- **Left out:** ${why}`)
  const about = [
    ...machine.map(line => `- ${line}`),
    `- load average before ${before.load}, after ${after.load}; CPU time to parse 32 KB of JSON before ${before.speed}, after ${after.speed}`,
    `- medians of ${effort.rounds} rounds of ${effort.seconds} s, contenders by turns; ratios are medians of the ratios of each round`,
    ...missing,
  ]
  return `# What a request costs

\`npm run bench\` wrote this. Figures of different runs do not compare: ratios within one run do. A contender that does
not have nearly all of its core was disturbed, or had too little to do; then its CPU says more than its throughput.
"Others" is the share of the machine that went to processes which are no part of this.

${about.join('\n')}

${disturbance(results)}## Targets

${targetTable(results)}

${names.map(name => section(name, cases[name], results[name])).join('\n')}`
}
