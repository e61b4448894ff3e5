// The target figures, and how to read them from the results.
import { contenderNames } from './contenders.js'
import { added, ratio } from './stats.js'

const { gateway, redis, bare, httpProxy, portkey, litellm, direct } = contenderNames
const cpu = round => round.cpu

/** The median per-round ratio of the CPU of a request. */
const cpuOf = (name, one, other) => results => {
  const rounds = results[name]?.rounds
  return rounds?.get(one) && rounds.get(other) && ratio(rounds.get(one), rounds.get(other), cpu)
}

/** Milliseconds that the gateway adds to what another contender takes, by default the backend itself. */
const addedMs =
  (name, figure, base = direct) =>
  results => {
    const rounds = results[name]?.rounds
    return rounds?.get(gateway) && rounds.get(base) && added(rounds.get(gateway), rounds.get(base), figure) / 1000
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
  { what: 'CPU at 1 KB, of bare undici', most: 2, of: cpuOf('whole-1k', gateway, bare) },
  { what: 'CPU at 32 KB, of bare undici', most: 2, of: cpuOf('whole-32k', gateway, bare) },
  { what: 'CPU of streams, of bare undici', most: 1.2, of: cpuOf('streams', gateway, bare) },
  { what: 'CPU at 1 KB, of http-proxy-3', most: 1, of: cpuOf('whole-1k', gateway, httpProxy) },
  { what: "Portkey's CPU at 1 KB, of this gateway", least: 4, of: cpuOf('whole-1k', portkey, gateway) },
  { what: "LiteLLM's CPU at 1 KB, of this gateway", least: 45, of: cpuOf('whole-1k', litellm, gateway) },
  {
    what: 'added at 300 requests a second, p50',
    most: 0.7,
    unit: 'ms',
    of: addedMs('latency', ({ latency }) => latency.p50),
  },
  {
    what: 'first byte of streams, p99, beyond that of bare undici',
    most: 3,
    unit: 'ms',
    of: addedMs('ttfb', ({ first }) => first.p99, bare),
  },
  { what: 'Redis: CPU at 1 KB, of the embedded store', most: 1.2, of: cpuOf('whole-1k', redis, gateway) },
  { what: 'Redis: two processes, of one', least: 1.4, of: results => results['redis-pair']?.ratio },
  { what: 'workers: CPU of a worker, of one process', most: 1.15, of: severalOf(({ ratio }) => ratio) },
  { what: 'workers: CPU of the main thread of the store', most: 8, unit: 'µs', of: severalOf(row => row.storeThread) },
  { what: 'an open stream', most: 35, unit: 'KB', of: eachStream },
  { what: 'memory after all requests, of after a tenth', most: 1.1, of: grown },
]

export const isReached = ({ least, most }, figure) => (least === undefined ? figure <= most : figure >= least)
