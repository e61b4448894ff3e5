import type { WholeAnswer } from '../../wire/answer-reader.ts'
import { dialectOf, publicAnswer } from '../../wire/dialects.ts'
import { likelyJson } from '../../wire/fast/likelihoods.ts'
import { jsonBytes } from '../../wire/json-bytes.ts'
import { completionOfStream } from '../../wire/openai/completion-of-stream.ts'
import { eventObjects } from '../../wire/openai/event-objects.ts'
import { allAtOnce, type Steps } from '../../wire/steps.ts'
import { atLeast } from '../../wire/usage/usage.ts'
import type { AttemptPorts, Target } from '../attempt/attempt.ts'
import { type EndedAnswer, failed, type Outcome } from '../attempt/outcome.ts'
import type { Client } from '../ports.ts'
import { LIGHT_BYTES } from './buffered.ts'
import { workOnCopy } from './copy.ts'
import { type AnswerStream, attemptStream } from './stream.ts'

interface FetchTerms {
  readonly client: Client
  readonly choices: number
  readonly isProse: true | undefined
  /** Reads a whole answer, in the public form or in the client's dialect. */
  readonly read: (bytes: Buffer) => Steps<WholeAnswer | undefined>
}

/**
 * One attempt at a whole answer that is fetched as a stream: its tokens are counted as they come, so that it keeps to its cap,
 * and its backend can be stopped at once.
 */
export async function attemptFetched(
  ports: AttemptPorts,
  target: Target,
  { client, choices, isProse, read }: FetchTerms,
): Promise<Outcome<WholeAnswer>> {
  const asked: Target = { ...target, commit: 'complete' }
  const wanted = { usageWanted: true, choices, takesWhole: true, ...(isProse && { maySkip: isProse }) } as const
  const outcome = await attemptStream(ports, asked, wanted, client)
  if (outcome.kind !== 'answered') return outcome
  const stream = outcome.answer
  try {
    const fetched = collected(stream)
    const reading = answerOf(target, fetched, read)
    // A large one is read when the turn of its account comes.
    const costs = sizeOf(fetched) > LIGHT_BYTES ? client.costs : undefined
    const done = costs ? await workOnCopy(costs, inTurn => inTurn(reading)) : { is: allAtOnce(reading) }
    if (done === 'lost') return { kind: 'left', work: stream.work() }
    const { is: answer } = done
    return answer ? { kind: 'answered', answer } : failed('malformed answer', stream.work())
  } catch (error) {
    // Such as nesting that overflows the stack: the backend's doing, whatever it is.
    return failed(`unreadable answer: ${error instanceof Error ? error.name : String(error)}`, stream.work())
  }
}

function* answerOf(
  { pool, kind, native }: Target,
  { stream, events, ending }: Fetched,
  read: FetchTerms['read'],
): Steps<WholeAnswer | undefined> {
  if (stream.whole) {
    const answer = native ? stream.whole : yield* publicAnswer(dialectOf(pool), kind, stream.whole)
    return answer && (yield* read(answer))
  }
  const whole = native
    ? native.wholeOf([...eventObjects(events + nativeLast(stream))])
    : yield* completionOfStream(events)
  const answer = whole && (yield* read(native ? jsonBytes(whole) : yield* likelyJson(whole)))
  if (!answer) return undefined
  const { usage, least, tokens, outputBytes = 0, skippedEvents } = ending
  const { usage: told, ...rest } = answer
  return Object.assign(
    {},
    rest,
    { outputBytes },
    // Several choices together may show more tokens than their pieces did, and the client reads that number.
    usage && { usage: told ? atLeast(usage, told.outputTokens) : usage },
    least && { least },
    tokens !== undefined && { tokens },
    skippedEvents !== undefined && { skippedEvents },
  )
}

/** Everything of a finished stream. */
interface Fetched {
  readonly stream: AnswerStream
  readonly events: string
  readonly ending: EndedAnswer
}

const sizeOf = ({ stream, events }: Fetched): number => events.length + (stream.whole?.length ?? 0)

function collected(stream: AnswerStream): Fetched {
  let events = ''
  let ended: EndedAnswer | undefined
  stream.attach({
    write: piece => {
      events += piece
    },
    end: ending => {
      ended = ending
    },
  })
  if (!ended) throw new Error('a stream that is whole has not ended')
  return { stream, events, ending: ended }
}

const nativeLast = ({ native }: AnswerStream): string => native?.last ?? ''
