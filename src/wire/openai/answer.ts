import type { Model } from '../../policy/config.ts'
import type { WholeAnswer } from '../answer-reader.ts'
import { type WithoutLikelihoods, withoutLikelihoods } from '../fast/likelihoods.ts'
import { jsonBytes, parse, textOf } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import type { Steps } from '../steps.ts'
import { type CompletionTurn, completionTurn } from '../tools/completion.ts'
import type { Listed } from '../tools/listed.ts'
import { toldUsage, usageIn, usageMember } from '../usage/reported-usage.ts'
import { atLeast, countedUsage, deltaTokens, outputBytesOf, type Usage } from '../usage/usage.ts'
import { wholeChoice, wholeSaid } from './choice-form.ts'
import { isNamed, secondsIn } from './chunk.ts'

/** Reads a backend's whole chat completion; undefined when it is not one. */
export function readCompletion(bytes: Buffer, terms: AnswerTerms): WholeAnswer | undefined {
  const answer = completionIn(bytes)
  const whole = answer && completed(answer, terms.backendModel, terms)
  if (!whole) return undefined
  const counts = countsOf(whole)
  const sent = chargedFor(whole, counts.usage)
  return { bytes: sent === answer ? bytes : jsonBytes(sent), ...counts }
}

/** Reads a large completion in steps, without its likelihoods: they are most of its bytes, and nothing looks at them. */
export function* readLargeCompletion(bytes: Buffer, terms: AnswerTerms): Steps<WholeAnswer | undefined> {
  const light = yield* withoutLikelihoods(bytes)
  if (!light) return readCompletion(bytes, terms)
  const answer = readCompletion(light.bytes, terms)
  if (!answer) return undefined
  return { ...answer, bytes: answer.bytes === light.bytes ? bytes : yield* light.restored(answer.bytes) }
}

/** Reads one round of an answer with hosted tools, of which the client gets a part; undefined when it is no completion. */
export function* readRound(bytes: Buffer, terms: AnswerTerms, listed: Listed): Steps<RoundAnswer | undefined> {
  const light = yield* withoutLikelihoods(bytes)
  const answer = completionIn(light?.bytes ?? bytes)
  const whole = answer && completed(answer, terms.backendModel, terms)
  if (!whole) return undefined
  const counts = countsOf(whole)
  const turn = completionTurn(chargedFor(whole, counts.usage), listed)
  return { ...counts, turn, ...(light && { light }) }
}

/** The completion in some bytes, as a client gets it; undefined where they are none. */
export function completeIn(bytes: Buffer, { model, ...terms }: CompletionTerms): JsonObject | undefined {
  const answer = completionIn(bytes)
  return answer && completed(answer, model, terms)
}

interface CompletionTerms extends Pick<AnswerTerms, 'id' | 'created'> {
  readonly model: string
}

/** The terms by which a whole answer is read. */
export interface AnswerTerms {
  /** The brand name that was decided on. */
  readonly model: Model
  readonly backendModel: string
  /** Prompt tokens held, for answers that must show a usage and whose backend reports none. */
  readonly inputTokens: number
  /** For backends that give none. */
  readonly id: string
  /** Seconds since the epoch, for backends that do not tell them. */
  readonly created: number
}

export interface RoundAnswer extends Omit<WholeAnswer, 'bytes'> {
  readonly turn: CompletionTurn
  /** Has the likelihoods that the turn is without, where there are many. */
  readonly light?: WithoutLikelihoods
}

type Completion = JsonObject & { readonly choices: readonly JsonObject[] }

function completionIn(bytes: Buffer): Completion | undefined {
  const answer = parse(textOf(bytes))
  return isCompletion(answer) ? answer : undefined
}

function isCompletion(answer: unknown): answer is Completion {
  if (!isObject(answer) || !Array.isArray(answer.choices) || answer.choices.length === 0) return false
  for (const choice of answer.choices) if (!isObject(choice) || !wholeSaid(choice)) return false
  return true
}

function countsOf(answer: Completion): Pick<WholeAnswer, 'usage' | 'outputBytes'> {
  const { choices } = answer
  const told = usageIn(answer)
  const seen = told && (choices.length > 1 || told.outputTokens === 0) ? tokensOf(choices) : 0
  const usage = told && countedUsage(told, seen)
  if (usage) return { usage: choices.length > 1 ? atLeast(usage, seen) : usage, outputBytes: 0 }
  let outputBytes = 0
  for (const { message } of choices) outputBytes += outputBytesOf(message)
  return { outputBytes }
}

/** The answer with the usage that its client is charged, where its backend told one; the same one where it tells that. */
function chargedFor(answer: Completion, usage: Usage | undefined): Completion {
  if (!usage) {
    const { usage: uncounted, ...rest } = answer
    return uncounted === undefined ? answer : rest
  }
  const told = toldUsage(usageMember(answer), usage)
  return told === answer.usage ? answer : { ...answer, usage: told }
}

/** Some backends report the usage of one choice, whatever they said in the others. */
const tokensOf = (choices: Completion['choices']): number =>
  choices.reduce((sum, { message }) => sum + deltaTokens(message), 0)

/**
 * An answer with all that clients need of one: what its backend left out, or wrote as null, is added. The same object where
 * nothing is missing; undefined where the backend gave up.
 */
function completed(
  answer: Completion,
  model: string,
  terms: Pick<AnswerTerms, 'id' | 'created'>,
): Completion | undefined {
  const choices = completedChoices(answer.choices, terms.id)
  if (!choices) return undefined
  const { id, object, created, usage } = answer
  const hasUsage = usage === undefined || usageIn({ usage }) !== undefined
  const isSame =
    choices === answer.choices &&
    hasUsage &&
    answer.model === model &&
    object === 'chat.completion' &&
    Number.isSafeInteger(created) &&
    isNamed(id)
  if (isSame) return answer
  const {
    id: _id,
    object: _object,
    created: _created,
    model: _model,
    choices: _choices,
    usage: _usage,
    ...rest
  } = answer
  return {
    id: isNamed(id) ? id : terms.id,
    object: 'chat.completion',
    created: secondsIn(created) ?? terms.created,
    model,
    ...rest,
    choices,
    ...(hasUsage && usage !== undefined && { usage }),
  }
}

function completedChoices(choices: Completion['choices'], answerId: string): Completion['choices'] | undefined {
  let whole: JsonObject[] | undefined
  for (let at = 0; at < choices.length; at++) {
    const choice = choices[at]
    const complete = choice && wholeChoice(choice, at, answerId)
    if (!complete) return undefined
    if (complete !== choice) whole ??= choices.slice(0, at)
    whole?.push(complete)
  }
  return whole ?? choices
}
