import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ClientRequestTerms, readClientRequest } from '../../src/wire/client-request.ts'
import { parseDialect } from '../../src/wire/openai/body.ts'
import { readChat } from '../../src/wire/openai/chat.ts'
import { readEmbeddings } from '../../src/wire/openai/embeddings.ts'
import { readImages } from '../../src/wire/openai/images.ts'
import type { WireRequest } from '../../src/wire/openai/request.ts'

const hello = [{ role: 'user', content: 'Hello' }]
const long = `${'ada'.repeat(100)}@example.com`

describe('the end user of a request', () => {
  it.each<[string, (who: string) => WireRequest | object]>([
    ['user of a chat', user => chat({ user })],
    ['safety_identifier of a chat', who => chat({ safety_identifier: who })],
    ['safety_identifier of a chat, rather than user', who => chat({ user: 'bob', safety_identifier: who })],
    ['user of embeddings', user => readEmbeddings(bytes({ model: 'svc-embed', input: 'Hello', user }), 10)],
    ['user of images', user => readImages(bytes({ prompt: 'a cat', user }))],
    ['user of a response', user => asked('responses', { input: 'Hello', user })],
    ['safety_identifier of a response', who => asked('responses', { input: 'Hello', safety_identifier: who })],
    ['metadata.user_id of a message', who => asked('messages', message({ metadata: { user_id: who } }))],
  ])('is a digest of %s, and its name is nowhere', (_field, read) => {
    for (const name of ['ada@example.com', 'Änne 🙂', long]) {
      const { request } = read(name) as WireRequest
      expect(request.user).toBe(createHash('sha256').update(name).digest('base64url').slice(0, 22))
      expect(JSON.stringify(request)).not.toContain(name)
    }
  })

  it('is nobody where the request names none', () => {
    for (const request of [
      chat({}),
      chat({ user: null }),
      chat({ user: '' }),
      asked('responses', { input: 'Hello' }),
      asked('messages', message({ metadata: {} })),
      asked('messages', message({ metadata: { user_id: null } })),
    ])
      expect((request as WireRequest).request).not.toHaveProperty('user')
  })
})

const bytes = (body: object) => Buffer.from(JSON.stringify(body))
const chat = (fields: object) => readChat(bytes({ messages: hello, ...fields }))
const message = (fields: object) => ({ model: 'svc-core', max_tokens: 10, messages: hello, ...fields })

const TERMS: ClientRequestTerms = {
  names: { brand: 'svc', declared: new Map() },
  declared: new Map(),
  thinks: () => false,
  isHosted: () => false,
  spoken: new Set(),
  passed: new Set(),
}

function asked(dialect: 'messages' | 'responses', body: object): WireRequest | object {
  const parsed = parseDialect(bytes(body))
  if ('denial' in parsed) throw new Error(JSON.stringify(parsed))
  return readClientRequest(dialect, parsed, TERMS)
}
