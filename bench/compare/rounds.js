// Measures the contenders in turns, round after round, each time in another order.
import { commandCounts } from './contenders/redis.js'
import { measure } from './measure.js'

/** The measurements of each round, by contender. `isFirst`: whether the contenders have not run any case yet. */
export async function takeTurns(programs, contenders, { load, adds, gatewaysOnly }, effort, isFirst) {
  const { kind, ...options } = load(effort)
  const taking = contenders.filter(({ name, isGateway }) => (adds || name !== 'direct') && (isGateway || !gatewaysOnly))
  const rounds = new Map(taking.map(({ name }) => [name, []]))
  // Node compiles hot code first: it is slow until then, and those rounds do not count. Much of it is the same in all cases.
  for (const contender of taking) {
    say(`warming up ${contender.name}`)
    await measure(programs, contender, {
      request: contender.requests[kind],
      ...warming(kind, isFirst ? effort.first : effort.warm),
    })
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (let turn = 0; turn < taking.length; turn++) {
      const contender = taking[(turn + round) % taking.length]
      say(`round ${round + 1} of ${effort.rounds}, ${contender.name}`)
      const before = await commandsOf(contender)
      const measured = await measure(programs, contender, { ...options, request: contender.requests[kind] })
      const after = await commandsOf(contender)
      rounds.get(contender.name).push({ ...measured, commands: difference(before, after, measured.asked) })
    }
  }
  say('')
  return rounds
}

/** Paced streams stay few however long the warm-up lasts. */
const warming = (kind, { requests, seconds }) => ({
  connections: 64,
  requests,
  seconds: kind === 'paced' ? seconds / 4 : seconds,
})

const say = text => process.stderr.isTTY && process.stderr.write(`\r${text.padEnd(60)}`)

const commandsOf = async ({ redis }) => (redis ? await commandCounts(redis.port) : {})

/** How often a request called each command of Redis. */
function difference(before, after, requests) {
  const calls = Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / requests])
  return Object.fromEntries(calls.filter(([, count]) => count > 0.01))
}
