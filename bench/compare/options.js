// The options on the command line.
import { parseArgs } from 'node:util'
import { caseNames } from './cases.js'

/** How long everything takes: a thorough run, or a quick look. */
const thorough = {
  rounds: 5,
  seconds: 2.5,
  warmup: 0.3,
  warm: { requests: 30_000, seconds: 10 },
  idleStreams: 10_000,
  memory: [100_000, 1_000_000],
}
const quick = {
  rounds: 3,
  seconds: 0.5,
  warmup: 0.1,
  warm: { requests: 4000, seconds: 2 },
  idleStreams: 1000,
  memory: [3000, 9000],
}
const quickCases = ['whole-1k', 'streams', 'latency']
const comparedCases = ['whole-1k', 'whole-32k', 'whole-1m', 'streams']

const usage = `npm run bench -- [--quick] [--only case,…] [--rounds n] [--against dir] [--without name,…]
cases: ${caseNames.join(', ')}
--against compares with the gateway that is built in another directory, --without with this one as SVC_WITHOUT leaves it
(src/wire/fast/README.md); both measure ${comparedCases.join(', ')} unless --only says otherwise, and no other contender.
A whole run writes bench/RESULTS.md; with any option but --rounds the tables are printed only.`

/** The options; undefined after printing the help. */
export function readOptions(args) {
  const options = {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    against: { type: 'string' },
    without: { type: 'string' },
    help: { type: 'boolean' },
  }
  const { values } = parseArgs({ args, options })
  const compares = values.against !== undefined || values.without !== undefined
  const cases = values.only?.split(',') ?? (compares ? comparedCases : values.quick ? quickCases : caseNames)
  const unknown = cases.filter(name => !caseNames.includes(name))
  if (unknown.length > 0) console.error(`no such case: ${unknown.join(', ')}`)
  if (values.help || unknown.length > 0) {
    console.error(usage)
    process.exitCode = values.help ? 0 : 2
    return undefined
  }
  const effort = values.quick ? quick : thorough
  return {
    ...effort,
    ...(values.rounds && { rounds: Number(values.rounds) }),
    cases,
    against: values.against,
    without: values.without,
    writes: !values.quick && !values.only && !compares,
  }
}
