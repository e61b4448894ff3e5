// The target figures, and how to read them from the results.
import { contenderNames } from './contenders.js'
import { added, ratio } from './stats.js'

const { gateway, redis, bare, httpProxy, portkey, direct } = contenderNames
const rate = round => round.rate

/** The median per-round ratio of requests per second. */
const against = (name, one, other) => results => {
  const rounds = results[name]?.rounds
  return rounds?.get(one) && rounds.get(other) && ratio(rounds.get(one), rounds.get(other), rate)
}

const addedMs = (name, figure) => results => {
  const rounds = results[name]?.rounds
  return rounds?.get(gateway) && added(rounds.get(gateway), rounds.get(direct), figure) / 1000
}

const grown = results => {
  const own = results.memory?.rows.filter(({ name }) => name === gateway)
  return own && own.at(-1).own / own[0].own
}

const eachStream = results => {
  const row = results.idle?.rows.find(({ name }) => name === gateway)
  return row && row.each / 1000
}

/** Reads a figure of two workers. */
const severalOf = figure => results => {
  const row = results.workers?.rows.find(({ name }) => name === 'workers: 2')
  return row && figure(row)
}

/** `least` or `most`, in `unit`; `of` reads the figure, and returns undefined if it was not measured. */
export const targets = [
  { what: 'throughput at 1 KB, of bare undici', least: 0.6, aim: 0.8, of: against('whole-1k', gateway, bare) },
  { what: 'throughput at 32 KB, of bare undici', least: 0.4, aim: 0.5, of: against('whole-32k', gateway, bare) },
  { what: 'throughput in streams, of bare undici', least: 0.9, aim: 0.95, of: against('streams', gateway, bare) },
  { what: 'throughput at 1 KB, of http-proxy-3', least: 1, of: against('whole-1k', gateway, httpProxy) },
  { what: 'throughput at 1 KB, of Portkey', least: 15, of: against('whole-1k', gateway, portkey) },
  {
    what: 'added at 300 requests a second, p50',
    most: 0.2,
    unit: 'ms',
    of: addedMs('latency', ({ latency }) => latency.p50),
  },
  {
    what: 'added to the first byte of streams, p99',
    most: 3,
    unit: 'ms',
    of: addedMs('ttfb', ({ first }) => first.p99),
  },
  { what: 'Redis: throughput at 1 KB, of the embedded store', least: 0.5, of: against('whole-1k', redis, gateway) },
  { what: 'Redis: two processes, of one', least: 1.4, of: results => results['redis-pair']?.ratio },
  { what: 'workers: CPU of a worker, of one process', most: 1.1, of: severalOf(({ ratio }) => ratio) },
  { what: 'workers: CPU of the main thread of the store', most: 20, unit: 'µs', of: severalOf(row => row.storeThread) },
  { what: 'an open stream', most: 40, unit: 'KB', of: eachStream },
  { what: 'memory after all requests, of after a tenth', most: 1.1, of: grown },
]

export const isReached = ({ least, most }, figure) => (least === undefined ? figure <= most : figure >= least)
