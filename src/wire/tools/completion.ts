import { signedMembers } from '../call-signatures.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import { chatFieldsOf, fieldIn, reasoningIn, reasoningMember, SignedThoughts } from '../reasoning/signed-thoughts.ts'
import type { Listed } from './listed.ts'
import { endsAnswer, type HostedCall, type Turn, textOf } from './turn.ts'

/** The whole answer of one round, with one choice. */
export interface CompletionTurn extends Turn {
  readonly completion: JsonObject
  readonly reasoning: string
}

/** Reads one round of a whole answer.  */
export function completionTurn(completion: JsonObject, listed: Listed): CompletionTurn {
  const { message, finish } = choiceOf(completion)
  const called = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []
  const hosted = called.flatMap(call => hostedCall(call, listed))
  const runs = hosted.length === called.length && !endsAnswer(finish)
  return {
    completion,
    content: textOf(message.content),
    reasoning: textOf(message[reasoningField(message)]),
    calls: runs ? hosted : [],
    thoughts: {
      ...reasoningMember(reasoningIn(message), fieldIn(message)),
      ...chatFieldsOf(new SignedThoughts().read(message)),
    },
    ...(isObject(completion.usage) && { usage: completion.usage }),
  }
}

/**
 * The one answer that the client gets: id and time of the first round, the text of all, and otherwise the last one,
 * without its calls of hosted tools. `finish` in place of the last one's.
 */
export function joinTurns(
  turns: readonly CompletionTurn[],
  listed: Listed,
  usage: JsonObject | undefined,
  finish?: string,
): JsonObject {
  const [first] = turns
  const last = turns.at(-1)
  if (!first || !last) throw new Error('an answer has at least one round')
  const { id, created } = first.completion
  const { choice, message } = choiceOf(last.completion)
  const { usage: _last, ...rest } = last.completion
  return {
    ...rest,
    id,
    created,
    choices: [
      { ...choice, message: joined(turns, message, listed), ...(finish !== undefined && { finish_reason: finish }) },
    ],
    ...(usage && { usage }),
  }
}

function joined(
  turns: readonly CompletionTurn[],
  { tool_calls: called, ...message }: JsonObject,
  listed: Listed,
): JsonObject {
  const content = turns.map(turn => turn.content).join('')
  const reasoning = turns.map(turn => turn.reasoning).join('')
  const calls = Array.isArray(called) ? called.filter(call => !isHosted(call, listed)) : []
  return {
    ...message,
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning !== '' && { [reasoningField(message)]: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function choiceOf({ choices }: JsonObject): { choice: JsonObject; message: JsonObject; finish: string } {
  const [choice] = Array.isArray(choices) ? choices : []
  if (!isObject(choice) || !isObject(choice.message))
    throw new Error('a completion without a message was taken for one')
  const { message, finish_reason: finish } = choice
  return { choice, message, finish: typeof finish === 'string' ? finish : '' }
}

function hostedCall(call: JsonObject, listed: Listed): HostedCall[] {
  const { name, arguments: args } = isObject(call.function) ? call.function : {}
  const tool = listed.get(String(name))
  if (!tool) return []
  return [
    {
      ...{ id: textOf(call.id), tool: tool.name, seenAs: tool.seenAs },
      ...{ arguments: typeof args === 'string' ? args : '', signed: signedMembers(call) },
    },
  ]
}

const isHosted = (call: unknown, listed: Listed): boolean =>
  isObject(call) && isObject(call.function) && listed.has(String(call.function.name))

/** vLLM has renamed it. */
const reasoningField = (message: JsonObject): string => ('reasoning' in message ? 'reasoning' : 'reasoning_content')
