import { signatureOf } from '../../call-signatures.ts'
import type { WriterTerms } from '../../client-dialect.ts'
import { parse } from '../../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../../json-safety.ts'
import { type CallSignature, sealReasoning } from '../../reasoning/sealed-reasoning.ts'
import { fieldIn, reasoningIn, SignedThoughts } from '../../reasoning/signed-thoughts.ts'
import type { Usage } from '../../usage/usage.ts'
import { type AnswerForm, CallIds, functionIn, hiddenBlocks, stopOf, textBlock, writeUsage } from './answer-form.ts'

/** A whole chat completion as a message, with the usage that is charged. */
export function writeAnswer(completion: JsonObject, charged: Usage, form: AnswerForm, terms: WriterTerms): JsonObject {
  const choice = asObject(Array.isArray(completion.choices) ? completion.choices[0] : undefined)
  const message = asObject(choice.message)
  const { content: text, refusal } = message
  const { calls, signatures } = callsOf(message, form, terms)
  const content = [
    ...thinkingOf(message, form, calls.length > 0, signatures),
    ...[text, refusal].filter(each => typeof each === 'string' && each !== '').map(each => textBlock(String(each))),
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
    usage: writeUsage(charged),
  }
}

/**
 * Clients drop a block without a signature, with its content. Blocks that a backend signed pass unchanged. A client that did not
 * ask for thinking gets the data that its backend needs back with the calls in an empty block.
 */
function thinkingOf(
  message: JsonObject,
  { thinking }: AnswerForm,
  called: boolean,
  calls: readonly CallSignature[],
): readonly JsonObject[] {
  const reasoning = reasoningIn(message)
  const signed = new SignedThoughts().read(message)
  const field = fieldIn(message)
  const hasThought = reasoning !== '' || signed.length > 0
  if (thinking === 'none') return called ? hiddenBlocks({ text: reasoning, signed, calls, field }) : []
  if (!hasThought) return hiddenBlocks({ text: '', signed, calls })
  const areBlocks = signed.length > 0 && signed.every(({ type }) => type !== 'reasoning')
  if (thinking === 'whole' && areBlocks) return [...signed, ...hiddenBlocks({ text: '', signed: [], calls })]
  const shown = thinking === 'whole' ? reasoning : ''
  return [{ type: 'thinking', thinking: shown, signature: sealReasoning(reasoning, signed, { calls, field }) }]
}

/** Calls as blocks, and what their backend signed of them. */
function callsOf({ tool_calls }: JsonObject, { names }: AnswerForm, { newId }: WriterTerms) {
  const ids = new CallIds(newId)
  const calls: JsonObject[] = []
  const signatures: CallSignature[] = []
  for (const call of Array.isArray(tool_calls) ? tool_calls : []) {
    const { name, arguments: args } = functionIn(asObject(call))
    if (name === '') continue
    const input = parse(args)
    const id = ids.take(asObject(call).id)
    calls.push({ type: 'tool_use', id, name: names.find(name) ?? name, input: isObject(input) ? input : {} })
    const signature = signatureOf(asObject(call))
    if (signature) signatures.push({ call: id, ...signature })
  }
  return { calls, signatures }
}
