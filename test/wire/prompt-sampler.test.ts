import { describe, expect, it } from 'vitest'
import type { PromptSketch } from '../../src/policy/balance/prompt-sketch.ts'
import { type ClientRequestTerms, readClientRequest } from '../../src/wire/client-request.ts'
import { parseDialect } from '../../src/wire/openai/body.ts'
import { readChat } from '../../src/wire/openai/chat.ts'

const TERMS: ClientRequestTerms = {
  names: { brand: 'svc', declared: new Map() },
  declared: new Map(),
  thinks: () => false,
  isHosted: () => false,
  spoken: new Set(['messages', 'responses']),
  passed: new Set(),
}

/** Texts of a few kilobytes, all different, with what JSON escapes. */
const text = (name: string, length: number): string =>
  Array.from({ length: Math.ceil(length / 16) }, (_, at) => `${name} "${at}" says\n`)
    .join('')
    .slice(0, length)

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

function sketchOf(chat: object): PromptSketch {
  const read = readChat(Buffer.from(JSON.stringify({ model: 'm', ...chat })))
  if ('denial' in read) throw new Error(JSON.stringify(read.denial))
  const sketch = read.sketch?.()
  if (!sketch) throw new Error('a chat has a prompt')
  return sketch
}

function dialectSketch(name: 'responses' | 'messages', body: object): PromptSketch {
  const parsed = parseDialect(Buffer.from(JSON.stringify(body)))
  if ('denial' in parsed) throw new Error(JSON.stringify(parsed.denial))
  const read = readClientRequest(name, parsed, TERMS)
  if ('denial' in read) throw new Error(JSON.stringify(read.denial))
  const sketch = read.sketch?.()
  if (!sketch) throw new Error('it has a prompt')
  return sketch
}

/** Bytes of the beginning that two prompts share, as their marks have it. */
function shared(a: PromptSketch, b: PromptSketch): number {
  let bytes = 0
  for (let at = 0; at < a.low.length; at++) {
    if (a.low[at] !== b.low[at] || a.high[at] !== b.high[at]) break
    bytes = a.ends[at] ?? 0
  }
  return bytes
}

const SYSTEM = { role: 'system', content: text('You are an assistant', 9000) }
const TOOLS = Array.from({ length: 20 }, (_, at) => ({
  type: 'function',
  function: {
    name: `tool_${at}`,
    description: text(`tool ${at}`, 700),
    parameters: { type: 'object', properties: {} },
  },
}))

describe('the sketch of a prompt', () => {
  it('begins with that of the turn before it, whole', () => {
    const first = [SYSTEM, user('What is this?')]
    const before = sketchOf({ messages: first })
    const after = sketchOf({ messages: [...first, assistant('A test.'), user(text('More', 3000))] })
    expect(shared(after, before)).toBe(before.bytes)
    expect(after.anchor).toBe(before.anchor)
  })

  it.each([
    [
      'a document that the same message asks something else about',
      0.9,
      user(text('doc', 20_000) + text('A', 60)),
      user(text('doc', 20_000) + text('B', 90)),
    ],
    ['another beginning', 0, user(`A${text('doc', 20_000)}`), user(`B${text('doc', 20_000)}`)],
    ['another role', 0, user(text('doc', 20_000)), assistant(text('doc', 20_000))],
  ])('shares of %s as much as is equal', (_what, share, one, other) => {
    const [a, b] = [sketchOf({ messages: [one] }), sketchOf({ messages: [other] })]
    expect(shared(a, b)).toBeGreaterThanOrEqual(share * a.bytes)
    expect(shared(a, b)).toBeLessThanOrEqual((share + 0.1) * a.bytes)
  })

  it('has the tools before the messages', () => {
    const [one, other] = [[SYSTEM, user('A')], [user('B')]].map(messages => sketchOf({ messages, tools: TOOLS }))
    if (!one || !other) throw new Error('two were made')
    expect(shared(one, other)).toBeGreaterThan(13_000)
    const swapped = [...TOOLS.slice(1), ...TOOLS.slice(0, 1)]
    expect(shared(one, sketchOf({ messages: [SYSTEM, user('A')], tools: swapped }))).toBe(0)
  })

  it('is that of the same chat in every dialect', () => {
    const said = [text('First question', 4000), text('First answer', 5000), 'And now?'] as const
    const chat = sketchOf({
      messages: [SYSTEM, user(said[0]), assistant(said[1]), user(said[2])],
    })
    const messages = dialectSketch('messages', {
      model: 'm',
      max_tokens: 100,
      system: SYSTEM.content,
      messages: [user(said[0]), assistant(said[1]), user(said[2])],
    })
    const responses = dialectSketch('responses', {
      model: 'm',
      instructions: SYSTEM.content,
      input: [user(said[0]), assistant(said[1]), user(said[2])],
    })
    expect(shared(messages, chat)).toBe(chat.bytes)
    expect(shared(responses, chat)).toBe(chat.bytes)
  })

  it('knows images again by their bytes, and another image as another prompt', () => {
    const image = (letter: string) => ({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${letter.repeat(40_000)}` },
    })
    const look = (letter: string) => sketchOf({ messages: [user([{ type: 'text', text: 'Look:' }, image(letter)])] })
    expect(shared(look('A'), look('A'))).toBe(look('A').bytes)
    expect(shared(look('A'), look('B'))).toBe(0)
  })

  it.each([
    ['a text that is parsed', 40],
    ['a long text that is left out of what is parsed', 400],
  ])('of %s notices any one letter among the first 32', (_what, length) => {
    const letters = 'Which replica has this prompt? '.repeat(20).slice(0, length)
    const asked = sketchOf({ messages: [user(letters)] })
    const noticed = Array.from({ length: 32 }, (_, at) => {
      const changed = `${letters.slice(0, at)}~${letters.slice(at + 1)}`
      return shared(asked, sketchOf({ messages: [user(changed)] })) === 0
    })
    expect(noticed).toEqual(Array(32).fill(true))
  })

  it('shares all messages before the one that differs, whichever of twelve long ones that is', () => {
    const said = Array.from({ length: 12 }, (_, at) => user(text(`message ${at}`, 600)))
    const whole = sketchOf({ messages: said })
    const until = said.map((_, at) => {
      const other = said.map((message, place) => (place === at ? user(text(`another ${at}`, 600)) : message))
      return shared(whole, sketchOf({ messages: other }))
    })
    expect(until).toEqual([0, ...whole.ends.slice(0, 11)])
  })

  it('knows the calls of tools', () => {
    const called = (city: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: `{"city":"${city}"}` } }],
    })
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'Rain.' }
    const of = (city: string) => sketchOf({ messages: [SYSTEM, user('Weather?'), called(city), result] })
    expect(shared(of('Bern'), of('Bern'))).toBe(of('Bern').bytes)
    expect(shared(of('Bern'), of('Rome'))).toBeLessThan(of('Bern').bytes)
  })

  it('has at most 512 marks, and the bytes of all of it', () => {
    const sketch = sketchOf({ messages: [user(text('long', 3_000_000))] })
    expect(sketch.low).toHaveLength(512)
    expect(sketch.bytes).toBeGreaterThan(2_900_000)
  })

  it('goes on with messages that come later', () => {
    const messages = [SYSTEM, user('Look it up.')]
    const later = [assistant('Looking.'), user('Thanks.')]
    const read = readChat(Buffer.from(JSON.stringify({ model: 'm', messages })))
    if ('denial' in read) throw new Error('it is a chat')
    expect(read.sketch?.(later)).toEqual(sketchOf({ messages: [...messages, ...later] }))
  })
})
