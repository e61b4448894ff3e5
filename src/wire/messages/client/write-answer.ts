import type { WriterTerms } from '../../client-dialect.ts'
import { asObject, isObject, type JsonObject } from '../../json-safety.ts'
import { parse } from '../../openai/chunk.ts'
import type { Usage } from '../../openai/usage.ts'
import { sealReasoning } from '../../sealed-reasoning.ts'
import { reasoningIn, SignedThoughts } from '../../signed-thoughts.ts'
import { type AnswerForm, CallIds, functionIn, stopOf, usageOf } from './answer-form.ts'

/** A whole chat completion as a message. `usage` stands in for what it does not report. */
export function writeAnswer(completion: JsonObject, usage: Usage, form: AnswerForm, terms: WriterTerms): JsonObject {
  const choice = asObject(Array.isArray(completion.choices) ? completion.choices[0] : undefined)
  const message = asObject(choice.message)
  const { content: text, refusal } = message
  const calls = callsOf(message, form, terms)
  const content = [
    ...thinkingOf(message, form),
    ...[text, refusal]
      .filter(each => typeof each === 'string' && each !== '')
      .map(each => ({ type: 'text', text: each })),
    ...calls,
  ]
  const refused = typeof refusal === 'string' && refusal !== ''
  return {
    id: `msg_${terms.newId()}`,
    type: 'message',
    role: 'assistant',
    model: terms.model,
    content,
    ...stopOf({ choice, called: calls.length > 0, refused }, form),
    usage: { ...usageOf(completion.usage, usage), service_tier: 'standard' },
  }
}

/** Clients drop a block without a signature, and what stands in it. Blocks that a backend signed stay as they are. */
function thinkingOf(message: JsonObject, { thinking }: AnswerForm): readonly JsonObject[] {
  if (thinking === 'none') return []
  const reasoning = reasoningIn(message)
  const signed = new SignedThoughts().read(message)
  const areBlocks = signed.length > 0 && signed.every(({ type }) => type !== 'reasoning')
  if (thinking === 'whole' && areBlocks) return signed
  if (reasoning === '' && signed.length === 0) return []
  const shown = thinking === 'whole' ? reasoning : ''
  return [{ type: 'thinking', thinking: shown, signature: sealReasoning(reasoning, signed) }]
}

function callsOf({ tool_calls }: JsonObject, { names }: AnswerForm, { newId }: WriterTerms): JsonObject[] {
  const ids = new CallIds(newId)
  const calls: JsonObject[] = []
  for (const call of Array.isArray(tool_calls) ? tool_calls : []) {
    const { name, arguments: args } = functionIn(asObject(call))
    if (name === '') continue
    const input = parse(args)
    calls.push({
      type: 'tool_use',
      id: ids.take(asObject(call).id),
      name: names.find(name) ?? name,
      input: isObject(input) ? input : {},
    })
  }
  return calls
}
