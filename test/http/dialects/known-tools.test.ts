import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOTH, Dialects, named } from './fixture.ts'

let site: Dialects

beforeEach(async () => {
  site = await Dialects.start()
})

afterEach(() => site.close())

const LONG = 'Reads a file. '.repeat(160)
const parameters = { type: 'object', properties: { path: { type: 'string', description: LONG } } }

/** Tools of an agent. `turn` stands in one of them, so that it may be another list each time, as long as the others. */
const TOOLS = {
  'chat/completions': (turn: number) => [
    { type: 'function', function: { name: 'read', description: `Turn ${turn}`, parameters } },
    { type: 'function', function: { name: 'a.b', parameters } },
  ],
  responses: (turn: number) => [
    { type: 'function', name: 'read', description: `Turn ${turn}`, parameters },
    { type: 'custom', name: 'patch', description: LONG },
    { type: 'web_search' },
  ],
  messages: (turn: number) => [
    { name: 'read', description: `Turn ${turn}`, input_schema: parameters },
    { name: 'a.b', input_schema: parameters, cache_control: { type: 'ephemeral' } },
  ],
}
type Path = keyof typeof TOOLS

const SAID: Readonly<Record<Path, object>> = {
  'chat/completions': { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 },
  responses: { input: 'Hi', max_output_tokens: 16 },
  messages: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 },
}

/** Other in each answer. */
const OWN = /^(?:date|x-request-id|request-id|x-ratelimit-reset.*|anthropic-ratelimit.*reset)$/
const ID = /"(?:resp|msg|chatcmpl|call|fc|req)[_-][A-Za-z0-9_-]+"|"(?:created|created_at|completed_at)":\d+/g

async function askedBy(key: string, path: Path, body: object) {
  const before = site.chats.requests.length + site.native.requests.length
  const response = await site.ask(path, body, { authorization: `Bearer ${key}` })
  const headers = [...response.headers].filter(([name]) => !OWN.test(name))
  const text = await response.text()
  const sent = [...site.chats.requests, ...site.native.requests].slice(before).map(({ rawBody }) => rawBody)
  const alike = (some: string) => some.replaceAll(ID, '"id"').replaceAll(/Turn \d/g, 'Turn')
  return { status: response.status, headers, text: alike(text), sent: sent.map(alike) }
}

describe.each([
  ['chat/completions', 'svc-core'],
  ['chat/completions', 'svc-native'],
  ['responses', 'svc-core'],
  ['messages', 'svc-core'],
  ['responses', 'svc-engine-first'],
  ['messages', 'svc-both'],
] as const)('%s for %s with the same tools in each turn', (path, model) => {
  it.each([
    ['whole', {}],
    ['as a stream', { stream: true }],
    ['refused for another member', { temperature: 'warm' }],
  ])('is sent, answered and priced like one with tools that are new each time, %s', async (_, more) => {
    const [messages, responses] = BOTH
    const native = path === 'messages' ? messages : responses
    site.native.always('stream' in more ? named(native.events) : native.answer)
    const [same, other] = [await site.test.key('pro', 'same'), await site.test.key('pro', 'other')]
    for (let turn = 0; turn < 5; turn++) {
      const body = { model, ...SAID[path], ...more }

      const known = await askedBy(same, path, { ...body, tools: TOOLS[path](7) })

      expect(known).toEqual(await askedBy(other, path, { ...body, tools: TOOLS[path](turn) }))
    }
  })
})

describe('a list of tools that came before', () => {
  const tools = [{ type: 'function', function: { name: 'svc_calculator', description: LONG, parameters } }]

  it('is read by the hosted tools of now after a reload', async () => {
    const ask = (key = site.key) => askedBy(key, 'chat/completions', { ...SAID['chat/completions'], tools })
    for (let turn = 0; turn < 3; turn++) expect((await ask()).sent[0]).toContain('svc_calculator')

    await site.test.reload({}, yaml => `${yaml}\nhosted_tools: { calculator: { builtin: calculator } }\n`)

    const known = await ask()
    expect(known).toEqual(await ask(await site.test.key('pro', 'new')))
    expect(known.sent.join()).not.toContain('svc_calculator')
  })
})
