import fc from 'fast-check'
import type { StreamReading } from '../../src/wire/answer-reader.ts'
import { StreamReader } from '../../src/wire/openai/stream.ts'
import { SseSplitter } from '../../src/wire/sse.ts'

/** Every byte that matters to the format, and characters of one to four bytes. */
const character = fc.constantFrom('a', ':', ' ', 'ñ', '€', '😀', '\0', '\u2028', '\uFEFF', '\r', '\n')
const line = fc.oneof(
  fc.constantFrom('data: x', 'data:', 'data', 'data:  x', 'data :x', 'datax: y', ' data: x', 'DATA: x'),
  fc.constantFrom('', ': comment', ':', 'event: e', 'id: 1', 'retry: 5', 'nonsense', '\uFEFFdata: x', 'data: [DONE]'),
  fc.string({ unit: character, maxLength: 12 }).map(text => `data: ${text}`),
  fc.string({ unit: character, maxLength: 12 }),
)
const ending = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r', '\n\r', '\r\n\n', '')
/** Halves of characters, which are no UTF-8. */
const bytes = fc
  .array(fc.constantFrom(0x0a, 0x0d, 0x61, 0xc3, 0xb1, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff), {
    maxLength: 8,
  })
  .map(list => Buffer.from(list))

/** An event stream, or what some backend takes for one. */
export const corpus: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(fc.oneof({ weight: 9, arbitrary: fc.tuple(line, ending).map(joined) }, { weight: 1, arbitrary: bytes }), {
      maxLength: 16,
    }),
  )
  .map(([mark, parts]) => Buffer.concat([Buffer.from(mark), ...parts]))

const delta = fc.oneof(
  fc.constantFrom({ role: 'assistant', content: '' }, {}, { tool_calls: [{ function: { arguments: '{"a":' } }] }),
  fc.string({ unit: character, maxLength: 8 }).map(content => ({ content })),
  fc.string({ unit: character, maxLength: 8 }).map(reasoning_content => ({ reasoning_content })),
)
const choice = fc.record({
  index: fc.nat(1),
  delta,
  finish_reason: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant('stop') }),
})
const usage = fc.record({ prompt_tokens: fc.nat(99), completion_tokens: fc.nat(99) })
const event = fc.oneof(
  { weight: 8, arbitrary: fc.record({ choices: fc.array(choice, { maxLength: 2 }) }).map(data) },
  { weight: 1, arbitrary: usage.map(counts => data({ choices: [], usage: counts })) },
  { weight: 2, arbitrary: fc.constantFrom(': keep-alive', 'data: {"choices":[{"delta":{"cont', 'data', 'data: [1]') },
  { weight: 1, arbitrary: fc.constantFrom('data: [DONE]', 'data: {"error":{"message":"full"}}') },
)
const closing = fc.constantFrom('\n\n', '\r\n\r\n', '\r\r')

/** A backend's stream: deltas, usage, comments, garbage, errors and the end, in any order. */
export const answers: fc.Arbitrary<Buffer> = fc
  .array(fc.tuple(event, closing).map(joined), { maxLength: 14 })
  .map(parts => Buffer.concat(parts))

/** Where the bytes are cut: anywhere, or everywhere. */
export const cuts: fc.Arbitrary<readonly number[] | 'everywhere'> = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.nat(65_535), { maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constant('everywhere' as const) },
)

/** The pieces, some of them empty. */
export function split(source: Buffer, places: readonly number[] | 'everywhere'): Buffer[] {
  const all = places === 'everywhere' ? source.keys() : places.map(place => place % (source.length + 1))
  const bounds = [0, ...[...all].sort((a, b) => a - b), source.length]
  return bounds.slice(1).map((end, i) => source.subarray(bounds[i], end))
}

/** The product's reading. */
export function eventsIn(pieces: readonly Buffer[]): string[] {
  const splitter = new SseSplitter()
  return [...pieces.flatMap(piece => splitter.push(piece)), ...splitter.end()]
}

/** The format's own rules: the whole text, then its lines, then their fields. An event may lack its blank line. */
export function eventsByTheBook(source: Buffer): string[] {
  const events: string[] = []
  let data: string[] = []
  for (const text of [...new TextDecoder().decode(source).split(/\r\n|\n|\r/), '']) {
    const [, field, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(text) ?? []
    if (field === 'data') data.push(value)
    if (text !== '') continue
    if (data.length > 0) events.push(data.join('\n'))
    data = []
  }
  return events
}

/** An answer reader's result for the bytes, up to where it stops. */
export function readingOf(pieces: readonly Buffer[]): object {
  const reader = new StreamReader({ model: 'm', usageWanted: false, id: 'i', created: 1 }, 2)
  let events = ''
  let stop: StreamReading['stop']
  const reads = [...pieces.map(piece => () => reader.read(piece)), () => reader.end()]
  for (const read of reads) {
    const reading = read()
    events += reading.events
    stop = reading.stop
    if (stop) break
  }
  return { events, stop, outputBytes: reader.outputBytes, finished: reader.finished, usage: reader.usage }
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}`
}

function joined(parts: readonly string[]): Buffer {
  return Buffer.from(parts.join(''))
}
