import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClientDialectName } from '../../src/policy/dialect-members.ts'
import type { ReadTerms } from '../../src/wire/client-dialect.ts'
import { CLIENT_DIALECTS } from '../../src/wire/client-dialects.ts'
import { isObject, type JsonObject } from '../../src/wire/json-safety.ts'
import { NativeStreamReader } from '../../src/wire/native/stream.ts'
import { readCompletion } from '../../src/wire/openai/answer.ts'
import { StreamReader } from '../../src/wire/openai/stream.ts'
import { sseDone, sseEvent } from '../../src/wire/sse.ts'
import { chargedFor } from '../support/charged.ts'
import { answers, chunksOf, completionOf } from '../support/generated-chats.ts'
import { wholeTexts } from '../support/whole-texts.ts'

const TERMS: ReadTerms = { texts: wholeTexts, passes: true, thinks: () => false, isHosted: () => false }
const BODIES: Readonly<Record<ClientDialectName, JsonObject>> = {
  messages: {
    ...{ model: 'm', max_tokens: 9, thinking: { type: 'enabled', budget_tokens: 2000 } },
    messages: [{ role: 'user', content: 'x' }],
  },
  responses: { model: 'm', input: 'x' },
}
const CHAT = { id: 'chatcmpl-1', created: 1, backendModel: 'm', inputTokens: 9, model: {} as never }

function writerOf(dialect: ClientDialectName) {
  const read = CLIENT_DIALECTS[dialect].client.read(BODIES[dialect], TERMS)
  if ('denial' in read) throw new Error(JSON.stringify(read))
  let ids = 0
  return read.writer({ requestId: 'req_1', created: 1, model: 'm', inputTokens: 9, newId: () => String(ids++) })
}

/** A provider that says in a dialect what a backend says in chats. */
const dialects = ['messages', 'responses'] as const

describe.each(dialects)('the same answer in %s and in a chat', dialect => {
  const { native } = CLIENT_DIALECTS[dialect]

  it('costs the same, whole', () => {
    fc.assert(
      fc.property(answers, answer => {
        const completion = completionOf(answer) as JsonObject
        const translated = readCompletion(Buffer.from(JSON.stringify(completion)), CHAT)
        const passed = native.answer(writerOf(dialect).whole(completion, chargedFor(completion)))
        expect(passed?.usage).toEqual(translated?.usage)
      }),
    )
  })

  it('costs the same as a stream, and has ended in both', () => {
    fc.assert(
      fc.property(answers, answer => {
        const chunks = chunksOf(answer).filter(isObject)
        const chat = new StreamReader({ model: 'm', usageWanted: true, id: 'chatcmpl-1', created: 1 }, 1)
        chat.read(Buffer.from(chunks.map(chunk => sseEvent(JSON.stringify(chunk))).join('') + sseDone))

        const writer = writerOf(dialect)
        const own = new NativeStreamReader(native)
        own.read(Buffer.from(chunks.map(chunk => writer.chunk(chunk)).join('') + writer.end(chargedFor(...chunks))))

        expect([own.finished, chat.finished]).toEqual([true, true])
        expect([own.usage?.inputTokens, own.usage?.outputTokens]).toEqual([
          chat.usage?.inputTokens,
          chat.usage?.outputTokens,
        ])
        expect(own.usage?.cachedTokens ?? 0).toBe(chat.usage?.cachedTokens ?? 0)
        expect(own.outputBytes > 0).toBe(chat.outputBytes > 0)
      }),
    )
  })
})
