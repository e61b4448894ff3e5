import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, json, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type JsonReader, READERS, type Read, ReadObject, readJson } from '../../support/json-readers.ts'
import { SMALL_REQUESTS } from '../../support/small-requests.ts'
import { times } from '../../support/times.ts'
import { BOTH } from './fixture.ts'

/** Each dialect at an engine and at a provider, chats, vectors, pictures, and a route that is passed through. */
const MORE = `
models:
  m-engine: { kind: chat, tier: guest, serve: [engine], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  m-provider: { kind: chat, tier: guest, serve: [provider], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  m-route: { kind: passthrough, tier: guest, serve: [onprem] }
plans: { all: { models: all, rpm: 1M, tpm: 900M, monthly_usd: 100000 } }
pools:
  engine: { site: x, model: test-model, speaks: [chat, responses, messages], replicas: ["URL"] }
  provider: { site: x, model: test-model, speaks: [chat, responses, messages], unknown_fields: drop, replicas: ["URL"] }
passthrough:
  - { path: /v1/moderations, methods: [POST], model: m-route, meter: { usd_per_call: 0.001 } }
`

const TARGETS = [
  ['/v1/responses', 'm-engine'],
  ['/v1/responses', 'm-provider'],
  ['/v1/messages', 'm-engine'],
  ['/v1/messages', 'm-provider'],
  ['/v1/chat/completions', 'm-provider'],
  ['/v1/embeddings', 'svc-embed'],
  ['/v1/images/generations', 'svc-image'],
  ['/v1/moderations', 'm-route'],
] as const

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  const [messages, responses] = BOTH
  backend.always(async exchange => {
    const { path } = exchange.seen
    if (path.endsWith('/messages')) return messages.answer(exchange)
    if (path.endsWith('/responses')) return responses.answer(exchange)
    if (path.endsWith('/embeddings')) return json({ data: [{ index: 0, embedding: Array(768).fill(0) }] })(exchange)
    if (path.endsWith('/generations')) {
      return json({ data: Array(Number(exchange.seen.body.n)).fill({ b64_json: PNG }) })(exchange)
    }
    if (path.endsWith('/moderations')) return json({ results: [] })(exchange)
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    return json({ choices, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })(exchange)
  })
  const files = { 'more.yaml': MORE.replaceAll('URL', backend.url) }
  test = await startTestGateway({ onprem: [backend], yaml: 'include: [more.yaml]', files })
  key = await test.key('all')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

/** Fields that change the price or the target of a request, with the defaults that it is charged by. */
const WEIGHED = {
  model: ['dearer-model'],
  max_output_tokens: [100_000, 17],
  max_tokens: [100_000, 17],
  max_completion_tokens: [100_000],
  n: [4, 50],
  best_of: [8],
  store: [true],
  tools: [[{ type: 'web_search', name: 'web_search' }]],
  service_tier: ['priority'],
  background: [true],
  previous_response_id: ['resp_of_another'],
  conversation: ['conv_1'],
  priority: [-1],
  cache_salt: ['x'],
  kv_transfer_params: [{ remote_host: '10.0.0.9' }],
  speed: ['fast'],
  size: ['1024x1024'],
} as const
type Weighed = keyof typeof WEIGHED

/** The letters of a name as some reader may take for the same. */
const spelt = (name: string) =>
  fc
    .array(fc.nat(5), { minLength: name.length, maxLength: name.length })
    .map(ways => [...name].map((letter, i) => SPELLINGS[ways[i] ?? 0]?.(letter) ?? letter).join(''))
const SPELLINGS: readonly ((letter: string) => string)[] = [
  letter => letter,
  letter => letter,
  letter => letter.toUpperCase(),
  letter => ({ k: '\u212a', s: '\u017f', i: '\u0130' })[letter] ?? letter,
  letter => (/[a-z]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter),
  letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
]

const names = Object.keys(WEIGHED) as Weighed[]
/** A member as it is written. */
const member = fc
  .constantFrom(...names)
  .chain(name =>
    fc
      .tuple(fc.oneof(fc.constant<string>(name), spelt(name)), fc.constantFrom<unknown>(...WEIGHED[name]))
      .map(([written, value]) => `"${written}":${JSON.stringify(value)}`),
  )
const added = fc.array(fc.tuple(member, fc.constantFrom('before', 'after', 'message', 'tool', 'part'), fc.boolean()), {
  minLength: 1,
  maxLength: 3,
})

type Added = readonly (readonly [member: string, place: string, isFirst: boolean])[]

function bodyWith(whole: object, more: Added): string {
  let text = JSON.stringify(whole)
  for (const [written, place] of more) {
    if (place === 'after') text = `${text.slice(0, -1)},${written}}`
    else if (place === 'message')
      text = text.replace('{"role"', `{${written},"role"`).replace('{"type":"message"', `{${written},"type":"message"`)
    else if (place === 'tool') text = text.replace('"tools":[{', `"tools":[{${written},`)
    else if (place === 'part') text = text.replace('"content":[{', `"content":[{${written},`)
    else text = `{${written},${text.slice(1)}`
  }
  return text
}

type Understood = Readonly<Record<string, unknown>>

/** A request as a server understands it, of what it is paid and admitted by. */
function understood(sent: string, { field }: JsonReader): Understood {
  const body = readJson(sent)
  if (!(body instanceof ReadObject)) throw new Error('no object was sent')
  const tools = field(body, 'tools')
  return {
    ...Object.fromEntries(names.map(name => [name, name === 'tools' ? undefined : plain(field(body, name))])),
    types: Array.isArray(tools)
      ? tools.map(tool => (tool instanceof ReadObject ? plain(field(tool, 'type')) : null))
      : [],
  }
}

const plain = (value: Read | undefined): unknown =>
  value instanceof ReadObject || Array.isArray(value) ? 'some' : value

const exact: JsonReader = {
  name: 'the gateway',
  field: (object, name) => object.members.findLast(([written]) => written === name)?.[1],
}

describe.each(TARGETS)('POST %s for %s', (path, model) => {
  const whole = { model, ...(path === '/v1/moderations' ? { input: 'Hi' } : SMALL_REQUESTS[path]) }

  async function ask(body: string) {
    const before = backend.requests.length
    const response = await fetch(test.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
    const text = await response.text()
    return { status: response.status, text, sent: backend.requests.slice(before).map(({ rawBody }) => rawBody) }
  }

  it('every server understands what the gateway weighed, however members are spelled and repeated', async () => {
    await fc.assert(
      fc.asyncProperty(added, async more => {
        const body = bodyWith(whole, more)
        const { status, sent } = await ask(body)
        expect([200, 400, 404]).toContain(status)
        if (status !== 200) expect(sent).toEqual([])
        for (const raw of sent) for (const reader of READERS) expectSame(understood(raw, reader), body, reader.name)
      }),
      { numRuns: times(600) },
    )
  })

  function expectSame(meant: Understood, body: string, reader: string): void {
    expect(meant.model, reader).toBe('test-model')
    // Other content of a route does not affect its price.
    if (path === '/v1/moderations') return
    const weighed = understood(body, exact)
    expect(meant.store ?? false, reader).toBe(false)
    expect(meant.types, reader).not.toContain('web_search')
    // A backend may be told its cap by two names, which say the same.
    expect([...new Set(CAPS.flatMap(cap => meant[cap] ?? []))], reader).toEqual(
      CAPS.some(cap => meant[cap]) ? [capOf(weighed)] : [],
    )
    for (const name of COMPARED)
      if (meant[name] !== undefined)
        expect([name, meant[name]], reader).toEqual([name, weighed[name] ?? DEFAULTS[name]])
  }

  /** The granted cap: chats have two names for it. */
  function capOf(weighed: Understood): unknown {
    if (path === '/v1/responses') return weighed.max_output_tokens
    return path === '/v1/messages' ? weighed.max_tokens : (weighed.max_completion_tokens ?? weighed.max_tokens)
  }

  it('is served as it is', async () => {
    const { status, sent } = await ask(JSON.stringify(whole))
    expect(status).toBe(200)
    expect(sent).toHaveLength(1)
  })
})

const CAPS = ['max_output_tokens', 'max_tokens', 'max_completion_tokens'] as const
const COMPARED = names.filter(name => !['model', 'store', 'tools', ...CAPS].includes(name))

/** The gateway's defaults for missing fields. */
const DEFAULTS: Readonly<Partial<Record<Weighed, unknown>>> = { n: 1, size: '512x512' }
