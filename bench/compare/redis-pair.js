// Two gateways on one Redis compared with one of them, with both cores for all.
import { gatewayOnRedis, onRedis, open, portOfItsOwn } from './contenders.js'
import { measure } from './measure.js'
import { cores } from './processes.js'
import { median } from './stats.js'

/** Rows of `{ name, rate }`, and the ratio of the two. */
export async function redisPair({ programs, directory, effort, missing }) {
  const contender = gatewayOnRedis
  const why = missing(contender)
  if (why) return { rows: [], remarks: [why] }
  const core = cores.both
  const one = await open(contender, { directory, core, redisCore: core })
  const second = await onRedis({ ...one.place, port: portOfItsOwn() }, one.redis)
  const two = { ...one, ports: [...one.ports, ...second.ports], pids: [...one.pids, ...second.pids] }
  const rounds = []
  try {
    const { seconds, warmup } = effort
    const options = { request: one.requests['whole-1k'], connections: 64, seconds, warmup }
    for (let round = 0; round < effort.rounds; round++) {
      const alone = await measure(programs, one, options, core)
      const both = await measure(programs, two, options, core)
      rounds.push({ alone, both, ratio: both.rate / alone.rate })
    }
  } finally {
    await second.stop()
    await one.stop()
  }
  const row = (name, pick) => ({
    name,
    rate: median(rounds.map(round => pick(round).rate)),
    cpu: median(rounds.map(round => pick(round).cpu)),
  })
  const rows = [row('one process', ({ alone }) => alone), row('two processes', ({ both }) => both)]
  return { rows, remarks: [], ratio: median(rounds.map(({ ratio }) => ratio)) }
}
