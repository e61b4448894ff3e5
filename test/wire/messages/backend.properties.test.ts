import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AnswerWriter } from '../../../src/wire/client-dialect.ts'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { messagesDialect } from '../../../src/wire/messages/backend.ts'
import { messages } from '../../../src/wire/messages/client.ts'
import { chargedFor } from '../../support/charged.ts'
import { answers, chats, chunksOf, completionOf } from '../../support/generated-chats.ts'
import { type JoinedChat, joinedStream, joinedWhole } from '../../support/joined-chat.ts'
import { cuts, split } from '../../support/sse-corpus.ts'
import { times } from '../../support/times.ts'
import { wholeTexts } from '../../support/whole-texts.ts'

const numRuns = times(2000)
const TERMS = { texts: wholeTexts, passes: true, thinks: () => false, isHosted: () => false }

it('a chat says the same to a gateway behind this one', () => {
  fc.assert(
    fc.property(chats, chat => {
      const sent = JSON.parse(String(messagesDialect.body('chat', Buffer.from(JSON.stringify(chat)))))
      const read = messages.read(sent, TERMS)
      if ('denial' in read) throw new Error(JSON.stringify(read.denial))
      // How closely an image is looked at cannot be said, and a schema that is not strict is the default.
      const said = JSON.stringify(chat).replaceAll(',"detail":"auto"', '').replaceAll('"strict":false,', '')

      expect(read.chat).toEqual(JSON.parse(said))
      expect(read.ignoredTools).toEqual([])
    }),
    { numRuns },
  )
})

it('a whole answer says the same that a gateway behind this one made', () => {
  fc.assert(
    fc.property(answers, answer => {
      const written = writer().whole(completionOf(answer) as JsonObject, chargedFor(completionOf(answer)))

      expect(joinedWhole(messagesDialect.answer('chat', jsonOf(written)))).toEqual(expected(answer))
    }),
    { numRuns },
  )
})

it('a stream says the same that a gateway behind this one made, wherever its bytes are cut', () => {
  fc.assert(
    fc.property(answers, cuts, (answer, places) => {
      const writes = writer()
      const chunks = chunksOf(answer).map(chunk => writes.chunk(chunk as JsonObject))
      const stream = Buffer.from(chunks.join('') + writes.end(chargedFor(completionOf(answer))))
      const translator = messagesDialect.translator?.()
      if (!translator) throw new Error('no translator')
      const read = split(stream, places).map(piece => translator.push(piece))

      expect(joinedStream(Buffer.concat([...read, translator.end()]))).toEqual(expected(answer))
    }),
    { numRuns },
  )
})

const expected = (answer: Parameters<typeof completionOf>[0]): JoinedChat => joinedWhole(jsonOf(completionOf(answer)))

const jsonOf = (value: object): Buffer => Buffer.from(JSON.stringify(value))

function writer(): AnswerWriter {
  const hi = [{ role: 'user', content: 'hi' }]
  const request = { model: 'm', max_tokens: 9, messages: hi, thinking: { type: 'adaptive' } }
  const read = messages.read(request, TERMS)
  if ('denial' in read) throw new Error(JSON.stringify(read.denial))
  let ids = 0
  return read.writer({ requestId: 'req_1', created: 1, model: 'm', inputTokens: 1, newId: () => String(ids++) })
}
