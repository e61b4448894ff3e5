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

  describe('of Claude Code', () => {
    const userOf = (user_id: string) =>
      (asked('messages', message({ metadata: { user_id } })) as WireRequest).request.user
    const device = '0a'.repeat(32)
    const account = '7d1f6c1e-1b2c-4d3e-8f90-a1b2c3d4e5f6'
    const session = (digit: number) => `${digit}2345678-1b2c-4d3e-8f90-a1b2c3d4e5f6`
    const json = (fields: object) => JSON.stringify({ device_id: device, account_uuid: account, ...fields })

    it.each<[string, readonly string[]]>([
      ['the JSON of today', [1, 2].map(digit => json({ session_id: session(digit) }))],
      ['the JSON of two devices', ['b', 'c'].map(device_id => json({ device_id, session_id: session(1) }))],
      ['the JSON of nobody in', [1, 2].map(digit => json({ account_uuid: '', session_id: session(digit) }))],
      ['the text before 2.1.78', [1, 2].map(digit => `user_${device}_account_${account}_session_${session(digit)}`)],
      ['the text of nobody in', [1, 2].map(digit => `user_${device}_account__session_${session(digit)}`)],
      [
        'an upgrade of Claude Code',
        [`user_${device}_account_${account}_session_${session(1)}`, json({ session_id: session(2) })],
      ],
    ])('is one person over sessions: %s', (_name, ids) => {
      expect(new Set(ids.map(userOf)).size).toBe(1)
    })

    it('is another person with another account, or on another device where nobody is signed in', () => {
      const ids = [
        json({ session_id: session(1) }),
        json({ account_uuid: account.replace('7', '8'), session_id: session(1) }),
        json({ account_uuid: '', session_id: session(1) }),
        json({ account_uuid: '', device_id: 'b', session_id: session(1) }),
      ]
      expect(new Set(ids.map(userOf)).size).toBe(ids.length)
    })

    it.each([
      '{"device_id":"a"}',
      '{"session_id":"a"}',
      '{"session_id":"a","account_uuid":7,"device_id":null}',
      '{"broken',
      'ada_session_1',
      'user_ada_account_1_session_x y',
      json({ session_id: 'x', more: 'x'.repeat(2000) }),
    ])('is the whole text where Claude Code did not write it: %.40s', id => {
      expect(userOf(id)).toBe(createHash('sha256').update(id).digest('base64url').slice(0, 22))
    })
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
