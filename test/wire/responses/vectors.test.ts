import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { chargedFor } from '../../support/charged.ts'
import { denialOf, eventsIn, numbered, read, writerTerms } from './support.ts'

/** One exchange, whole: a request, the chat that it becomes, the chat answer, and what the client gets. */
interface Vector {
  readonly name: string
  readonly note: string
  readonly request: JsonObject
  readonly chat?: JsonObject
  readonly ignored_tools?: readonly string[]
  readonly chat_answer?: JsonObject
  readonly chat_stream?: readonly JsonObject[]
  readonly answer?: JsonObject & { readonly error: { readonly [field: string]: unknown } }
  readonly events?: readonly JsonObject[]
}

const vectors: readonly Vector[] = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8'))
const served = vectors.filter(({ chat }) => chat !== undefined)

describe('worked exchanges of Responses', () => {
  it.each(served.map(vector => [vector.name, vector.note, vector] as const))(
    '%s becomes a chat: %s',
    (_n, _note, vector) => {
      const { chat, ignoredTools } = read(vector.request)

      expect(chat).toEqual(vector.chat)
      expect(ignoredTools).toEqual(vector.ignored_tools ?? [])
      expect(readChat(Buffer.from(JSON.stringify(chat)))).not.toHaveProperty('denial')
    },
  )

  it.each(served.map(vector => [vector.name, vector.note, vector] as const))(
    '%s is answered: %s',
    (_n, _note, vector) => {
      const writer = read(vector.request).writer(writerTerms())
      if (vector.chat_answer) {
        expect(numbered(writer.whole(vector.chat_answer, chargedFor(vector.chat_answer)))).toEqual(vector.answer)
        return
      }
      const breaks = vector.events?.at(-1)?.type === 'response.failed'
      const text =
        (vector.chat_stream ?? []).map(chunk => writer.chunk(chunk)).join('') +
        (breaks ? writer.fail(BROKEN) : writer.end(chargedFor(...(vector.chat_stream ?? []))))

      expect(numbered(eventsIn(text))).toEqual({ events: vector.events, isDone: !breaks })
    },
  )

  it.each(vectors.flatMap(vector => (vector.chat ? [] : [[vector.name, vector.note, vector] as const])))(
    '%s is denied: %s',
    (_n, _note, { request, answer }) => {
      expect({ reason: null, ...denialOf(request) }).toMatchObject({
        problem: answer?.error.message,
        field: answer?.error.param,
        reason: answer?.error.code,
      })
    },
  )
})

const BROKEN = {
  message: 'The backend failed before the answer was complete.',
  type: 'upstream_error',
  code: 'UPSTREAMS_EXHAUSTED',
}
