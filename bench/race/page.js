// The generated part of docs/race.md.
import { contenderNames } from '../compare/contenders.js'
import { added, median, medianOf, ratio } from '../compare/stats.js'
import { ENTRANTS } from './entrants.js'

const { gateway, bare, direct } = contenderNames
/** A contender that answers less than this share of the requests in time is saturated: its latency is that of its queue. */
const KEPT_UP = 0.95
/** From this share on, the load of other processes explains more than the measurement does. */
const DISTURBED = 0.1

const cpu = round => round.cpu
const rate = round => round.rate
const number = (value, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const micros = value => number(value, value < 1000 ? 1 : 0)
const times = value => `${number(value, value < 10 ? 2 : 0)} ×`
const nameOf = name => (name.startsWith(gateway) ? `**${name}**` : name)

function table(head, rows, align = '--:') {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : align))), ...rows.map(line)].join('\n')
}

/**
 * The page's sections, for the races of several versions of Node, and whether its figures may be quoted. The first race has every
 * contender.
 */
export function pageOf(races, { isQuick }) {
  const [{ results, left }] = races
  if (!results) throw new Error(left.join('\n'))
  const names = Object.keys(ENTRANTS).filter(name => results['whole-1k'].rounds[name])
  const share = shareOfOthers(races)
  const sections = [
    aboutOf(races, share, isQuick),
    '## Work for a request',
    workTable(names),
    '## CPU per request',
    'Microseconds of CPU for one request on one core, and the multiple of what svc-gateway takes in the same rounds.',
    cpuTable(results, names),
    '## Throughput and memory',
    'Requests a second that one core answers with 64 connections, and the resident memory after bodies of 1 KB.',
    rateTable(results, names),
    '## Added latency',
    'Milliseconds beyond those of the backend: at 300 requests a second of 1 KB, and to the first byte of 128 paced streams.',
    latencyTable(results, names),
    '## Versions of Node',
    'CPU of svc-gateway and of the bare proxy in microseconds, and their ratio.',
    nodeTable(races.filter(race => race.results)),
  ]
  return { text: `${sections.join('\n\n')}\n`, isQuotable: !isQuick && share < DISTURBED }
}

/** The share of the machine that went to other processes, in the median measurement. */
function shareOfOthers(races) {
  const rounds = races.flatMap(({ results = {} }) => Object.values(results).flatMap(each => Object.values(each.rounds)))
  return median(rounds.flat().map(({ others }) => others))
}

function aboutOf(races, share, isQuick) {
  const [{ machine, moments }] = races
  return [
    '## The run',
    '',
    ...machine.map(line => `- ${line}`),
    `- load average before ${moments.before.load}, after ${moments.after.load}; other processes took ${number(100 * share)} % of the machine in the median measurement`,
    ...(isQuick ? ['- **Short:** rounds of half a second. Do not quote this run.'] : []),
    ...(share >= DISTURBED ? ['- **Disturbed** by other processes. Do not quote this run.'] : []),
    ...races.flatMap(race => race.left).map(why => `- **Left out:** ${why}`),
  ].join('\n')
}

const workTable = names =>
  table(
    ['', 'work', 'keys', 'limits', 'ledger'],
    names.map(name => {
      const { does, keys, limits, ledger } = ENTRANTS[name]
      return [nameOf(name), does, keys, limits, ledger]
    }),
    '---',
  )

const CPU_CASES = [
  ['whole-1k', '1 KB'],
  ['whole-32k', '32 KB'],
  ['streams', 'stream of 64 events'],
  ['agent-chat', 'agent, 32 KB'],
  ['tools-chat', 'agent, 54 KB of tools'],
]
const RATE_CASES = CPU_CASES.slice(0, 3)

/** A figure of a contender in a case, with the number of its requests that failed. */
function cell({ rounds }, name, show) {
  const own = rounds[name]
  if (own.every(({ asked }) => asked === 0)) return '–'
  const failed = own.reduce((sum, round) => sum + round.failed, 0)
  return `${show(own, rounds)}${failed > 0 ? ` (${number(failed)} failed)` : ''}`
}

const cpuTable = (results, names) =>
  table(
    ['', ...CPU_CASES.map(([, head]) => head)],
    names.map(name => [
      nameOf(name),
      ...CPU_CASES.map(([kind]) =>
        cell(results[kind], name, (own, rounds) => {
          return `${micros(medianOf(own, cpu))} (${times(ratio(own, rounds[gateway], cpu))})`
        }),
      ),
    ]),
  )

const rateTable = (results, names) =>
  table(
    ['', ...RATE_CASES.map(([, head]) => head), 'memory, MB'],
    names.map(name => [
      nameOf(name),
      ...RATE_CASES.map(([kind]) => cell(results[kind], name, own => number(medianOf(own, rate)))),
      cell(results['whole-1k'], name, own => number(medianOf(own, round => round.memory) / 1e6)),
    ]),
  )

function latencyTable({ latency, ttfb }, names) {
  const columns = [
    ['300/s, p50', latency, round => round.latency.p50],
    ['300/s, p99', latency, round => round.latency.p99],
    ['first byte, p50', ttfb, round => round.first.p50],
    ['first byte, p99', ttfb, round => round.first.p99],
  ]
  const shown = figure => (own, rounds) => {
    const base = rounds[direct]
    if (medianOf(own, rate) < KEPT_UP * medianOf(base, rate)) return 'saturated'
    return number(added(own, base, figure) / 1000, 2)
  }
  return table(
    ['', ...columns.map(([head]) => head)],
    names.map(name => [nameOf(name), ...columns.map(([, result, figure]) => cell(result, name, shown(figure)))]),
  )
}

function nodeTable(races) {
  const figures = ({ rounds }) => {
    const [own, base] = [rounds[gateway], rounds[bare]]
    return [micros(medianOf(own, cpu)), micros(medianOf(base, cpu)), times(ratio(own, base, cpu))]
  }
  const rows = [...races]
    .sort((one, other) => one.version - other.version)
    .map(({ version, results: { 'whole-1k': whole, streams, latency } }) => {
      const p50 = added(latency.rounds[gateway], latency.rounds[direct], round => round.latency.p50)
      return [`Node ${version}`, ...figures(whole), ...figures(streams), number(p50 / 1000, 2)]
    })
  return table(['', '1 KB', 'bare', 'ratio', 'stream of 64 events', 'bare', 'ratio', 'added at 300/s, p50 ms'], rows)
}
