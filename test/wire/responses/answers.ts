import fc from 'fast-check'
import { JsonEnd } from '../../../src/wire/json-end.ts'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { NO_USAGE, read, writerTerms } from './support.ts'

const tools = [
  { type: 'function', name: 'read', parameters: null },
  { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn a helper' }] },
  { type: 'custom', name: 'apply_patch' },
]

/** Requests for which the same answer is written in other ways. */
export const requests = fc.record({
  input: fc.constant('x'),
  tools: fc.constant(tools),
  stream: fc.constant(true),
  store: fc.boolean(),
  reasoning: fc.constantFrom(null, { summary: 'auto' }),
  include: fc.constantFrom([], ['message.output_text.logprobs']),
})

const name = fc.constantFrom('read', 'agents__spawn_a_helper', 'apply_patch', 'made_up')
export const words = fc.string({ minLength: 1, maxLength: 12 })
const finish = fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter')
const chunkOf = (delta: JsonObject, finish_reason: unknown = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
})

/** Text after a whole object is dropped if the next call begins before it arrives. */
const endsWhole = (text: string): boolean => {
  const end = new JsonEnd()
  const object = end.take(text)
  return !end.isWhole || text.endsWith(object)
}

const said = fc.record({
  reasoning_content: fc.option(words),
  content: fc.option(words),
  tool_calls: fc.array(
    fc.record({
      name,
      arguments: fc.oneof(fc.constant('{"input":"*** Begin"}'), words.filter(endsWhole), fc.constant('')),
    }),
    {
      maxLength: 4,
    },
  ),
})

/** Cuts a text anywhere. */
const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const places = [0, ...cuts.map(cut => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
  return places.slice(1).map((place, i) => text.slice(places[i], place))
}

interface Said {
  readonly reasoning_content: string | null
  readonly content: string | null
  readonly tool_calls: readonly { readonly name: string; readonly arguments: string }[]
}

/** The answer as a stream. Calls begin in order and continue in any, according to `turns`. */
function chunksOf(said: Said, cuts: readonly number[], turns: Iterator<number>): JsonObject[] {
  const begun: JsonObject[] = []
  const rests: JsonObject[][] = []
  for (const [index, call] of said.tool_calls.entries()) {
    const [first, ...rest] = cutAt(call.arguments, cuts)
    begun.push({ index, id: `call_${index}`, type: 'function', function: { name: call.name, arguments: first } })
    rests.push(rest.map(piece => ({ index, function: { arguments: piece } })))
  }
  for (let left = rests; left.length > 0; left = left.filter(rest => rest.length > 0)) {
    const next = left[(turns.next().value ?? 0) % left.length]?.shift()
    if (next) begun.push(next)
  }
  return [
    chunkOf({ role: 'assistant', content: '' }),
    ...cutAt(said.reasoning_content ?? '', cuts).map(piece => chunkOf({ reasoning_content: piece })),
    ...cutAt(said.content ?? '', cuts).map(piece => chunkOf({ content: piece })),
    ...begun.map(call => chunkOf({ tool_calls: [call] })),
  ]
}

/** A model's answer, as a whole completion and as the chunks of a stream, cut anywhere. */
export const answers = fc
  .tuple(said, finish, fc.array(fc.nat(), { maxLength: 4 }), fc.infiniteStream(fc.nat(3)))
  .map(([message, finish_reason, cuts, turns]) => {
    const calls = message.tool_calls.map((call, index) => ({ id: `call_${index}`, function: call }))
    return {
      completion: { choices: [{ message: { ...message, tool_calls: calls }, finish_reason }] },
      chunks: [...chunksOf(message, cuts, turns), chunkOf({}, finish_reason)],
    }
  })

/** The events of a stream, as they are sent. */
export function streamOf(body: JsonObject, chunks: readonly JsonObject[]): string {
  const writer = read(body).writer(writerTerms())
  return chunks.map(chunk => writer.chunk(chunk)).join('') + writer.end(NO_USAGE)
}
