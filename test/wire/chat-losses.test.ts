import { describe, expect, it } from 'vitest'
import type { LostFields } from '../../src/policy/facts.ts'
import { lossesInAll, lossesOfChat } from '../../src/wire/chat-losses.ts'
import type { JsonObject } from '../../src/wire/json-safety.ts'
import { messagesOfChat } from '../../src/wire/messages/request-of-chat.ts'
import { chatSchema } from '../../src/wire/openai/chat.schema.ts'
import { responsesOfChat } from '../../src/wire/responses/request-of-chat.ts'

const HI = [{ role: 'user', content: 'Hi' }]
const lost = (chat: JsonObject): LostFields => lossesOfChat({ messages: HI, ...chat }) ?? {}

/** Each field of a chat with a value that asks for something. */
const SAID: Readonly<Record<string, unknown>> = {
  ...{ temperature: 0.5, top_p: 0.5, top_k: 5, min_p: 0.1, top_a: 0.1, typical_p: 0.5, repetition_penalty: 1.1 },
  ...{ frequency_penalty: 1, presence_penalty: 1, stop: ['END'], seed: 1, logit_bias: { 5: 1 }, stop_token_ids: [1] },
  ...{ include_stop_str_in_output: true, skip_special_tokens: false, spaces_between_special_tokens: false },
  ...{
    logprobs: true,
    top_logprobs: 3,
    verbosity: 'low',
    reasoning_effort: 'low',
    user: 'ada',
    safety_identifier: 'a',
  },
  ...{ response_format: { type: 'json_object' }, max_tokens: 5, max_completion_tokens: 5, stream: true },
  ...{ parallel_tool_calls: false, chat_template_kwargs: { enable_thinking: false } },
}
/** Hints, what stands beside another field, and what is refused or put elsewhere. */
const APART = 'model messages n store stream_options prompt_cache_key tools tool_choice functions function_call'.split(
  ' ',
)
/** With these, others change what is sent. */
const BESIDE: Readonly<Record<string, JsonObject>> = {
  parallel_tool_calls: { tools: [{ type: 'function', function: { name: 'f' } }] },
}

describe('what of a chat is lost in another dialect', () => {
  it('every field of a chat is in this list', () => {
    expect([...Object.keys(SAID), ...APART].sort()).toEqual(Object.keys(chatSchema.properties).sort())
  })

  it.each(
    Object.entries(SAID).flatMap(([field, value]) => [
      { field, value, into: 'messages' as const, translate: messagesOfChat },
      { field, value, into: 'responses' as const, translate: responsesOfChat },
    ]),
  )('$field of a chat in $into is either sent or counted as lost', ({ field, value, into, translate }) => {
    const chat = { model: 'm', messages: HI, ...BESIDE[field] }
    const isSent = JSON.stringify(translate({ ...chat, [field]: value })) !== JSON.stringify(translate(chat))

    expect(lost({ [field]: value })[into]).toEqual(isSent ? undefined : [field])
  })

  it('nothing is lost of what says what is done anyway', () => {
    const anyway = {
      ...{
        stop: [],
        seed: null,
        logit_bias: {},
        frequency_penalty: 0,
        presence_penalty: 0,
        logprobs: false,
        top_k: -1,
      },
      ...{ top_logprobs: 0, min_p: 0, repetition_penalty: 1, response_format: { type: 'text' }, verbosity: 'medium' },
      ...{ prompt_cache_key: 'k', n: 1 },
    }

    expect(lossesOfChat({ messages: HI, ...anyway })).toBeUndefined()
  })

  it('names of messages are lost but for those of tools, and so is how closely Messages looks at an image', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } }
    const messages = [
      { role: 'user', name: 'ada', content: [image] },
      { role: 'user', name: 'bob', content: 'Hi' },
    ]

    expect(lost({ messages })).toEqual({
      messages: ['messages.name', 'image_url.detail'],
      responses: ['messages.name'],
    })
    expect(lost({ messages: [{ role: 'tool', name: 'f', tool_call_id: 'c', content: 'x' }] })).toEqual({})
  })

  it('what was lost on the way to the chat is lost in each, and fields have the names of the client', () => {
    expect(lossesInAll([], undefined, {})).toBeUndefined()
    expect(lossesInAll(['speed'], undefined, {})).toEqual({
      ...{ chat: ['speed'], messages: ['speed'], responses: ['speed'] },
    })
    const ofChat = { responses: ['stop', 'top_k'] }
    expect(lossesInAll([], ofChat, { stop: 'stop_sequences' })).toEqual({ responses: ['stop_sequences', 'top_k'] })
  })
})
