import { type CapField, placeOf } from '../../policy/config.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { usageIn } from '../../wire/usage/reported-usage.ts'
import { asked, type Outcome } from './chat.ts'
import { type Fault, problem } from './finding.ts'
import { type ExaminedReplica, placeText } from './replica.ts'

const FIELDS: readonly CapField[] = ['max_tokens', 'max_completion_tokens']

/** Its answer is a sentence, which no small cap leaves room for. */
export const LONG_QUESTION = { messages: [{ role: 'user', content: 'Count from one to twenty, in words.' }] }

/** Tokens that an answer has only if its cap was ignored: some backends round a cap of one up. */
const IGNORED_FROM = 8

/** Asks with a cap of one token under each of its names, and tells which of them the backend ignores. */
export async function askCaps(replica: ExaminedReplica): Promise<Outcome> {
  const ignored: CapField[] = []
  const kept: CapField[] = []
  for (const field of FIELDS) {
    const verdict = await capIs(replica, field)
    if (verdict === 'ignored') ignored.push(field)
    else if (verdict === 'kept') kept.push(field)
  }
  const { caps } = replica.pool
  if (caps.some(field => kept.includes(field)) || !caps.some(field => ignored.includes(field)))
    return { faults: [], notes: ignored.map(field => `ignores ${field}`) }
  return { faults: [uncapped(replica, ignored, kept)], notes: [] }
}

/** Whether a replica keeps to a cap; undefined where it refuses the request, or does not say how long its answer is. */
async function capIs(replica: ExaminedReplica, field: CapField): Promise<'kept' | 'ignored' | undefined> {
  const { answer } = await asked(replica, LONG_QUESTION, { output: 1, caps: [field] })
  if (answer.head?.status !== 200) return undefined
  const body = parse(answer.body.toString('utf8'))
  const usage = isObject(body) ? usageIn(body) : undefined
  if (!usage) return undefined
  return usage.outputTokens >= IGNORED_FROM ? 'ignored' : 'kept'
}

function uncapped({ host, pool }: ExaminedReplica, ignored: readonly CapField[], kept: readonly CapField[]): Fault {
  const names = pool.caps.filter(field => ignored.includes(field)).join(' and ')
  const [other] = kept
  const place = placeText(placeOf(pool, 'cap'))
  const hint =
    other === undefined
      ? 'Its streams are cut at the cap, but its whole answers may exceed the reservation. Find the backend setting that bounds an answer.'
      : `It honours ${other}: write \`cap: ${other}\` in ${place}`
  return problem(`${host} ignores ${names}: its answers have no cap`, hint)
}
