import { DROPPABLE } from '../../policy/providers/droppable.ts'
import { unsupportedFieldIn } from '../../wire/errors/unsupported-field.ts'
import { parse } from '../../wire/json-bytes.ts'
import { asked, type Outcome } from './chat.ts'
import { warning } from './finding.ts'
import { type Answer, type ExaminedReplica, factsToWrite } from './replica.ts'

const USER = { role: 'user', content: 'Reply with the word ok.' }

/** Fields that clients send without need, each with a value that any backend takes which knows the field. */
const SENT: Readonly<Record<string, unknown>> = {
  temperature: 1,
  top_p: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  seed: 7,
  stop: ['\n\n\n\n'],
  user: 'doctor',
  prompt_cache_key: 'doctor',
}

/**
 * Asks with fields and a role that the profile of the provider says the backends take, and tells which of them they refuse:
 * every request that has one is sent twice.
 */
export async function askFields(replica: ExaminedReplica): Promise<Outcome> {
  const drops: string[] = []
  while (drops.length < Object.keys(SENT).length) {
    const sent = Object.entries(SENT).filter(([field]) => !drops.includes(field))
    const field = refusedIn(await answerTo(replica, { messages: [USER], ...Object.fromEntries(sent) }))
    if (field === undefined || !DROPPABLE.has(field) || drops.includes(field)) break
    drops.push(field)
  }
  const facts = [
    ...((await refusesDevelopers(replica)) ? ['developer_role: false'] : []),
    ...(drops.length > 0 ? [`drops: [${drops.join(', ')}]`] : []),
  ]
  if (facts.length === 0) return { faults: [], notes: [] }
  const refused = [...(facts[0] === 'developer_role: false' ? ['the role developer'] : []), ...drops].join(', ')
  const text = `${replica.host} refuses ${refused}, unlike its profile`
  return { faults: [warning(text, factsToWrite(replica, facts))], notes: [] }
}

/** Only where the same instruction is taken from the system. */
async function refusesDevelopers(replica: ExaminedReplica): Promise<boolean> {
  if (!replica.pool.provider.facts.developerRole) return false
  const statusFor = async (role: string) => {
    const answer = await answerTo(replica, { messages: [{ role, content: 'Be brief.' }, USER] })
    return answer.head?.status
  }
  const status = await statusFor('developer')
  return (status === 400 || status === 422) && (await statusFor('system')) === 200
}

const answerTo = async (replica: ExaminedReplica, body: object): Promise<Answer> =>
  (await asked(replica, body, { output: replica.promised.output })).answer

function refusedIn({ head, body }: Answer): string | undefined {
  if (head?.status !== 400 && head?.status !== 422) return undefined
  const text = body.toString('utf8')
  return unsupportedFieldIn(text, parse(text))
}
