// The options on the command line.
import { parseArgs } from 'node:util'
import { caseNames } from './cases.js'
import { contenderNames } from './contenders.js'

/** How long everything takes: a thorough run, or a quick look. */
const thorough = {
  rounds: 5,
  seconds: 2.5,
  warmup: 0.3,
  // V8 still compiles after 60,000 requests to this gateway, on the core that the round measures.
  first: { requests: 150_000, seconds: 20 },
  warm: { requests: 30_000, seconds: 10 },
  idleStreams: 10_000,
  memory: [100_000, 1_000_000],
}
const quick = {
  rounds: 3,
  seconds: 0.5,
  warmup: 0.1,
  first: { requests: 4000, seconds: 2 },
  warm: { requests: 4000, seconds: 2 },
  idleStreams: 1000,
  memory: [3000, 9000],
}
/** Nine contenders in seven cases take fifteen minutes. A round waits for the turns of eight others, so it warms up for longer. */
const racing = { ...thorough, rounds: 3, seconds: 1.8, warmup: 0.6, warm: { requests: 30_000, seconds: 6 } }
const quickCases = ['whole-1k', 'streams', 'latency']
const comparedCases = ['whole-1k', 'whole-32k', 'whole-1m', 'streams']

const usage = `npm run bench -- [--quick] [--only case,…] [--rounds n] [--contenders name,…] [--against dir] [--without name,…] [--json file]
cases: ${caseNames.join(', ')}
contenders: ${Object.keys(contenderNames)
  .filter(name => name !== 'direct')
  .join(', ')}
--against compares with the gateway that is built in another directory, --without with this one as SVC_WITHOUT leaves it
(src/wire/fast/README.md); both measure ${comparedCases.join(', ')} unless --only says otherwise, and no other contender.
--json writes the figures of each round into a file, and --race takes shorter rounds, both for bench/race.js.
A whole run writes bench/RESULTS.md; with any option but --rounds the tables are printed only.`

/** The options; undefined after printing the help. */
export function readOptions(args) {
  const options = {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    against: { type: 'string' },
    without: { type: 'string' },
    contenders: { type: 'string' },
    json: { type: 'string' },
    race: { type: 'boolean' },
    help: { type: 'boolean' },
  }
  const { values } = parseArgs({ args, options })
  const compares = values.against !== undefined || values.without !== undefined
  const cases = values.only?.split(',') ?? (compares ? comparedCases : values.quick ? quickCases : caseNames)
  const contenders = values.contenders?.split(',')
  const unknown = unknownIn(cases, contenders)
  if (unknown.length > 0) console.error(`no such case or contender: ${unknown.join(', ')}`)
  if (values.help || unknown.length > 0) {
    console.error(usage)
    process.exitCode = values.help ? 0 : 2
    return undefined
  }
  const effort = values.quick ? quick : values.race ? racing : thorough
  return {
    ...effort,
    ...(values.rounds && { rounds: Number(values.rounds) }),
    cases,
    contenders,
    json: values.json,
    against: values.against,
    without: values.without,
    writes: !values.quick && !values.race && !values.only && !contenders && !compares,
  }
}

const unknownIn = (cases, contenders = []) => [
  ...cases.filter(name => !caseNames.includes(name)),
  ...contenders.filter(name => !Object.hasOwn(contenderNames, name)),
]
