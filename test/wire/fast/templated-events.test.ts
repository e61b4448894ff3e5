import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChunkReader } from '../../../src/wire/openai/chunk.ts'
import { StreamReader } from '../../../src/wire/openai/stream.ts'
import { SseSplitter, sseEvent } from '../../../src/wire/sse.ts'
import { cuts, split } from '../../support/sse-corpus.ts'
import { times } from '../../support/times.ts'

const terms = { model: 'backend-model', usageWanted: false, id: 'chatcmpl-req', created: 1 }
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', ' Hello', 'the', '', '"', '\\', '\\"', '\n', '\n\n', '\t', '\u007f') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('ñ', '世界', '😀', '\u2028', '\uFEFF', '\ud800', '","', '"},"x":"', 'svc-text'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
)
/** Events that differ in the text alone, but for some. */
const event = fc.oneof(
  { weight: 12, arbitrary: text.map(content => ({ index: 0, delta: { content }, finish_reason: null })) },
  { weight: 1, arbitrary: text.map(content => ({ index: 0, delta: { role: 'assistant', content } })) },
  { weight: 1, arbitrary: text.map(content => ({ index: 1, delta: { reasoning_content: content } })) },
  { weight: 1, arbitrary: fc.constant({ index: 0, delta: {}, finish_reason: 'stop' }) },
)
const how = fc.constantFrom('plain', 'plain', 'plain', 'escaped', 'spaced', 'other')
const framing = fc.constantFrom(
  ...Array.from({ length: 12 }, () => ['data: ', '\n\n']),
  ['data: ', '\r\n\r\n'],
  ['data: ', '\r\r'],
  ['data: ', '\n'],
  ['data:', '\n\n'],
  [': ping\n\ndata: ', '\n\n'],
  ['event: x\ndata: ', '\n\n\n'],
  ['data: [1]\n\ndata: ', '\n\n'],
)
const model = fc.constantFrom('backend-model', 'backend-model', 'another', 'ñ')
/** Characters that no text decodes to: lone surrogates. */
const garbled = fc.constantFrom(undefined, undefined, undefined, 0xc3, 0xe9, 0x80)

const stream = fc
  .tuple(model, garbled, fc.array(fc.tuple(event, how, framing), { minLength: 2, maxLength: 20 }))
  .map(([name, byte, events]) => {
    const parts = events.map(([choice, style, [before, after]]) => {
      const chunk = { id: 'a', object: 'chat.completion.chunk', created: 5, model: name, choices: [choice] }
      return `${before}${written(chunk, style)}${after}`
    })
    const bytes = Buffer.from(parts.join(''))
    const place = bytes.indexOf('ell')
    if (byte !== undefined && place !== -1) bytes[place] = byte
    return bytes
  })

function written(chunk: object, style: string): string {
  const json = JSON.stringify(chunk)
  if (style === 'escaped')
    return json.replace(/[ñ世界]/g, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
  if (style === 'spaced') return json.replace('"content":"', '"content": "')
  return style === 'other' ? json.replace('"created":5', '"created":6') : json
}

/** After line breaks, where an event may be over or not. */
function splitAtLines(bytes: Buffer, chosen: readonly boolean[]): Buffer[] {
  const places = [...bytes.keys()].filter(at => bytes[at] === 0x0a || bytes[at] === 0x0d)
  return split(
    bytes,
    places.filter((_, nth) => chosen[nth % chosen.length]).map(at => at + 1),
  )
}

/** The result of a reader without templates. */
function parsed(bytes: Buffer): object {
  const splitter = new SseSplitter()
  const chunks = new ChunkReader(terms, 2)
  let [events, outputBytes] = ['', 0]
  for (const data of [...splitter.push(bytes), ...splitter.end()]) {
    const chunk = chunks.read(data)
    if (chunk.kind === 'nothing') continue
    if (chunk.kind !== 'delta') return { events, outputBytes, stop: true }
    outputBytes += chunk.outputBytes
    events += chunk.data === undefined ? '' : sseEvent(chunk.data)
  }
  return { events, outputBytes, stop: false }
}

function read(pieces: readonly Buffer[]): object {
  const reader = new StreamReader(terms, 2)
  let events = ''
  let stop = false
  for (const next of [...pieces.map(piece => () => reader.read(piece)), () => reader.end()]) {
    if (stop) break
    const reading = next()
    events += reading.events
    stop = reading.stop !== undefined
  }
  return { events, outputBytes: reader.outputBytes, stop }
}

it('a stream of known forms reads as if each event had been parsed, wherever its bytes are cut', () => {
  fc.assert(
    fc.property(stream, cuts, fc.array(fc.boolean(), { minLength: 1 }), (bytes, places, chosen) => {
      const expected = parsed(bytes)

      expect(read([bytes])).toEqual(expected)
      expect(read(split(bytes, places))).toEqual(expected)
      expect(read(splitAtLines(bytes, chosen))).toEqual(expected)
    }),
    { numRuns: times(1500) },
  )
})

/** Reads a run of known events that hold at most `most` tokens, or one event, and so on. */
function readWithin(bytes: Buffer, most: number): { result: object; runs: number[] } {
  const reader = new StreamReader(terms, 2)
  const runs: number[] = []
  let [rest, events, stop] = [bytes, '', false]
  while (rest.length > 0 && !stop) {
    const before = reader.tokens
    const known = reader.readKnown(rest, most)
    if (known) runs.push(reader.tokens - before)
    const end = known ? known.end : endOfEvent(rest)
    const reading = known ?? reader.read(rest.subarray(0, end))
    events += reading.events
    stop = 'stop' in reading && reading.stop !== undefined
    rest = rest.subarray(end)
  }
  if (!stop) {
    const last = reader.end()
    events += last.events
    stop = last.stop !== undefined
  }
  return { result: { events, outputBytes: reader.outputBytes, stop }, runs }
}

function endOfEvent(bytes: Buffer): number {
  const end = bytes.indexOf('\n\n')
  return end === -1 ? bytes.length : end + 2
}

it('runs of known events hold no more tokens than they may, and read as if each event had been parsed', () => {
  let known = 0
  fc.assert(
    fc.property(stream, fc.nat({ max: 5 }), (bytes, most) => {
      const { result, runs } = readWithin(bytes, most)

      expect(result).toEqual(parsed(bytes))
      expect(Math.max(0, ...runs)).toBeLessThanOrEqual(most)
      known += runs.length
    }),
    { numRuns: times(500) },
  )

  expect(known).toBeGreaterThan(0)
})

it.each([
  ['as they came', 'backend-model'],
  ['with the name of the model that serves', 'another'],
])('events of a known form go out %s', (_how, model) => {
  const of = (name: string, content: string, role?: string) =>
    sseEvent(
      JSON.stringify({
        id: 'a',
        object: 'chat.completion.chunk',
        created: 5,
        model: name,
        choices: [{ index: 0, delta: { role, content }, finish_reason: null }],
      }),
    )
  const texts = [' there', '"quoted\\" \n', 'ünï', '']
  const reader = new StreamReader(terms, 1)
  reader.read(Buffer.from(of(model, '', 'assistant') + of(model, 'Hello')))

  const { events } = reader.read(Buffer.from(texts.map(text => of(model, text)).join('')))

  expect(events).toBe(texts.map(text => of(terms.model, text)).join(''))
  expect(reader.outputBytes).toBe(Buffer.byteLength(`Hello${texts.join('')}`))
})
