// What the command line asks for.
import { parseArgs } from 'node:util'
import { caseNames } from './cases.js'

const usage = `npm run bench -- [--quick] [--only case,…] [--rounds n]
cases: ${caseNames.join(', ')}
A whole run writes bench/RESULTS.md; with --quick or --only the tables are printed only.`

/** How long everything takes: whole, or for a look. */
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

/** The options, or undefined after saying what there is. */
export function readOptions(args) {
  const options = {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    help: { type: 'boolean' },
  }
  const { values } = parseArgs({ args, options })
  const cases = values.only?.split(',') ?? (values.quick ? quickCases : caseNames)
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
    writes: !values.quick && !values.only,
  }
}
