import fc from 'fast-check'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { ask, chunkOf } from './support.ts'

/** A model's answer, and how its backend streams it. */
export interface Answer {
  /** Pieces in the order in which they come. */
  readonly pieces: readonly Piece[]
  readonly finish: string
}

/** A piece of a thought, of a text, or of the arguments of the call of this index. */
export type Piece =
  | { readonly of: 'thinking' | 'text'; readonly text: string }
  | { readonly of: number; readonly text: string; readonly name?: string }

export const request = ask({ stream: true, thinking: { type: 'adaptive' } })

const cut = (text: string, at: readonly number[]): string[] => {
  const places = [0, ...at.map(each => each % (text.length + 1)).sort((a, b) => a - b), text.length]
  return places.slice(1).map((end, index) => text.slice(places[index], end))
}

/** A text without half characters, in pieces. */
const pieces = (of: 'thinking' | 'text'): fc.Arbitrary<Piece[]> =>
  fc
    .array(fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }), { maxLength: 4 })
    .map(texts => texts.map(text => ({ of, text })))

const input = fc.dictionary(
  fc.string({ maxLength: 4 }).filter(name => name !== '__proto__'),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3 },
)

const call = fc.record({ input, name: fc.constantFrom('f', 'g'), at: fc.array(fc.nat(), { maxLength: 4 }) }).map(
  ({ input, name, at }) =>
    (of: number): Piece[] =>
      cut(JSON.stringify(input), at).map((text, index) => ({ of, text, ...(index === 0 && { name }) })),
)

/** Several things at once: each in its own order, mixed in any way. */
export const answers: fc.Arbitrary<Answer> = fc
  .record({
    thinking: pieces('thinking'),
    text: pieces('text'),
    calls: fc.array(call, { maxLength: 4 }),
    order: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
    finish: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter'),
  })
  .map(({ thinking, text, calls, order, finish }) => {
    const rows = [thinking, text, ...calls.map((each, index) => each(index))].map(row => [...row])
    const mixed: Piece[] = []
    for (let turn = 0; rows.some(row => row.length > 0); turn++) {
      const left = rows.filter(row => row.length > 0)
      const piece = left[(order[turn % order.length] ?? 0) % left.length]?.shift()
      if (piece) mixed.push(piece)
    }
    return { pieces: mixed, finish }
  })

const USAGE = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29, prompt_tokens_details: { cached_tokens: 4 } }

/** The stream of an answer, each piece in a chunk. */
export const chunksOf = ({ pieces, finish }: Answer): JsonObject[] => [
  chunkOf({ role: 'assistant', content: '' }),
  ...pieces.map(piece => chunkOf(deltaOf(piece))),
  chunkOf({}, finish),
  { ...chunkOf({}), choices: [], usage: USAGE },
]

function deltaOf(piece: Piece): JsonObject {
  const { of, text } = piece
  if (of === 'text') return { content: text }
  if (of === 'thinking') return { reasoning_content: text }
  const name = 'name' in piece ? piece.name : undefined
  return {
    tool_calls: [
      {
        index: of,
        ...(name !== undefined && { id: `call_${of}`, type: 'function' }),
        function: { ...(name !== undefined && { name }), arguments: text },
      },
    ],
  }
}

/** The answer as a whole. */
export function completionOf({ pieces, finish }: Answer): JsonObject {
  const textOf = (of: Piece['of']) =>
    pieces
      .filter(piece => piece.of === of)
      .map(({ text }) => text)
      .join('')
  const calls = pieces.flatMap(piece => ('name' in piece && piece.name !== undefined ? [piece] : []))
  const tool_calls = calls.map(({ of, name }) => ({
    id: `call_${of}`,
    type: 'function',
    function: { name, arguments: textOf(of) },
  }))
  const message = {
    role: 'assistant',
    content: textOf('text'),
    reasoning_content: textOf('thinking'),
    ...(tool_calls.length > 0 && { tool_calls }),
  }
  return { choices: [{ index: 0, message, finish_reason: finish }], usage: USAGE }
}
