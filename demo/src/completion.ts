import type { AnswerPlan, Choice, PlannedCall, Usage } from './answerer.ts'

/** The members that every form of one answer carries. */
export interface Envelope {
  readonly id: string
  /** Seconds since the Unix epoch. */
  readonly created: number
  readonly model: string
}

/** A plan as one whole chat completion. */
export function completion({ choices, usage }: AnswerPlan, envelope: Envelope): object {
  return {
    ...envelope,
    object: 'chat.completion',
    choices: choices.map((choice, index) => ({
      index,
      message: messageOf(choice),
      logprobs: null,
      finish_reason: choice.finish,
    })),
    usage: wireUsage(usage),
  }
}

/** A plan as the chunks of a stream, one token each; usage comes last, on a chunk without choices. */
export function* chunks({ choices, usage }: AnswerPlan, envelope: Envelope, includeUsage: boolean): Generator<object> {
  const frame = { ...envelope, object: 'chat.completion.chunk' }
  for (const [index, choice] of choices.entries()) {
    for (const delta of deltas(choice)) {
      yield { ...frame, choices: [{ index, delta, logprobs: null, finish_reason: null }] }
    }
    yield { ...frame, choices: [{ index, delta: {}, logprobs: null, finish_reason: choice.finish }] }
  }
  if (includeUsage) yield { ...frame, choices: [], usage: wireUsage(usage) }
}

function* deltas({ reasoning, content, calls }: Choice): Generator<object> {
  yield { role: 'assistant', content: '' }
  for (const piece of reasoning) yield { reasoning_content: piece }
  for (const piece of content) yield { content: piece }
  for (const [index, { id, name, arguments: args }] of calls.entries()) {
    yield { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }
    for (const piece of args) yield { tool_calls: [{ index, function: { arguments: piece } }] }
  }
}

function messageOf({ reasoning, content, calls }: Choice): object {
  return {
    role: 'assistant',
    content: calls.length > 0 ? null : content.join(''),
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
    ...(calls.length > 0 && { tool_calls: calls.map(wireCall) }),
  }
}

function wireCall({ id, name, arguments: args }: PlannedCall): object {
  return { id, type: 'function', function: { name, arguments: args.join('') } }
}

function wireUsage({ prompt, completion, reasoning }: Usage): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}
