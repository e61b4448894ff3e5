import type { ChatModel } from '../../policy/config.ts'
import { DIALECTS } from '../../wire/dialects.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { StreamReader } from '../../wire/openai/stream.ts'
import { usageIn } from '../../wire/usage/reported-usage.ts'
import { LONG_QUESTION } from './cap.ts'
import { asked, type Outcome } from './chat.ts'
import { type Fault, warning } from './finding.ts'
import { type ExaminedReplica, factsToWrite } from './replica.ts'

const CHOICES = 2
const QUESTION = { ...LONG_QUESTION, n: CHOICES }

/** The part of a choice ended by its cap that any usage counts: some backends leave out a token or two. */
const COUNTED_PART = 3 / 4

/** The choices seen in an answer to a request for two; undefined where there is none to judge. */
interface Seen {
  readonly choices: number
  /** Whether its usage counts fewer tokens than both choices have. */
  readonly isOneCounted?: boolean
}

/** Asks for two choices, whole and as a stream, and tells whether one is made, or one counted. */
export async function askChoices(replica: ExaminedReplica, model: ChatModel): Promise<Outcome> {
  const whole = isAskedWhole(replica) ? await askedWhole(replica, model) : undefined
  const streamed = await askedStream(replica)
  const ignoring = [...(whole?.choices === 1 ? ['whole answers'] : []), ...(streamed?.choices === 1 ? ['streams'] : [])]
  return {
    faults: [
      ...(ignoring.length > 0 ? [ignored(replica, ignoring)] : []),
      ...(whole?.isOneCounted === true ? [oneCounted(replica)] : []),
    ],
    notes: [],
  }
}

/** Whether the gateway asks it for whole answers of several choices. */
const isAskedWhole = ({ pool: { fetch, provider } }: ExaminedReplica): boolean =>
  fetch !== 'stream' && provider.facts.choicesUsage !== 'one'

async function askedWhole(replica: ExaminedReplica, model: ChatModel): Promise<Seen | undefined> {
  const { promised, pool } = replica
  const { output } = promised
  const { request, answer } = await asked(replica, QUESTION, { output, dialect: DIALECTS.chat })
  const read = request.readAnswer(answer.body, { model, backendModel: pool.model, inputTokens: 0, id: '', created: 0 })
  const body = parse(answer.body.toString('utf8'))
  if (answer.head?.status !== 200 || !read || !isObject(body) || !Array.isArray(body.choices)) return undefined
  const choices = body.choices.filter(isObject)
  const counted = usageIn(body)?.outputTokens
  if (choices.length < CHOICES || counted === undefined) return { choices: choices.length }
  const isCut = choices.every(({ finish_reason }) => finish_reason === 'length')
  // The usage that was read counts the words of all choices at least.
  const least = Math.max(read.usage?.outputTokens ?? 0, isCut ? CHOICES * output * COUNTED_PART : 0)
  return { choices: choices.length, isOneCounted: counted < least }
}

async function askedStream(replica: ExaminedReplica): Promise<Seen | undefined> {
  const { promised, pool } = replica
  const reader = new StreamReader({ model: pool.model, usageWanted: true, id: '', created: 0 }, CHOICES)
  const { answer } = await asked(
    replica,
    { ...QUESTION, stream: true, stream_options: { include_usage: true } },
    { output: promised.output, dialect: DIALECTS.chat, data: bytes => void reader.read(bytes) },
  )
  if (answer.head?.status !== 200 || !reader.isComplete) return undefined
  return { choices: reader.finished ? CHOICES : 1 }
}

function ignored({ host }: ExaminedReplica, kinds: readonly string[]): Fault {
  const where = kinds.length > 1 ? '' : ` in ${kinds[0]}`
  const text = `${host} ignores n${where}: it makes one choice instead of two`
  return warning(text, 'Clients that request several choices get one, and pay for one.')
}

const oneCounted = (replica: ExaminedReplica): Fault =>
  warning(
    `${replica.host} reports the usage of one choice where it makes two`,
    factsToWrite(replica, ['choices_usage: one']),
  )
