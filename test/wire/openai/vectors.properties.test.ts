import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EmbeddingModel } from '../../../src/policy/config.ts'
import { type Encoding, readVectors } from '../../../src/wire/openai/vectors.ts'
import { allAtOnce } from '../../../src/wire/steps.ts'

const SIZE = 3
const model = { kind: 'embedding', name: 'svc-embed', dimensions: SIZE } as EmbeddingModel

const base64Of = (numbers: readonly number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
const numbersIn = (text: string) => {
  const { buffer, byteOffset, length } = Buffer.from(text, 'base64')
  return Array.from(new Float32Array(buffer.slice(byteOffset, byteOffset + length)))
}

/** Numbers that are the same in float32. */
const vector = fc.array(
  fc.integer({ min: -4096, max: 4096 }).map(n => n / 64),
  { minLength: SIZE, maxLength: SIZE },
)
const count = fc.integer({ min: 1, max: 5 })
const encoding = fc.constantFrom<Encoding>('float', 'base64')

/** One item as a backend may write it: its members in any order, with others beside them, twice, or spaced. */
const item = fc.record({
  vector,
  sent: encoding,
  order: fc.shuffledSubarray(['object', 'index', 'embedding'], { minLength: 3 }),
  more: fc.constantFrom('', ',"host":"10.0.0.1"', ',"deep":{"embedding":[1,{"index":9}],"data":[]}', ',"é":null'),
  blank: fc.constantFrom('', ' ', '\n'),
  isTwice: fc.boolean(),
  isEscaped: fc.boolean(),
})
type Item = typeof item extends fc.Arbitrary<infer T> ? T : never

/** As encoders of other languages may write a text. */
const escapedIn = (text: string) =>
  text.replace(/[+=/e]/g, letter => (letter === '/' ? '\\/' : `\\u00${letter.charCodeAt(0).toString(16)}`))

function written({ vector, sent, order, more, blank, isTwice, isEscaped }: Item, index: number): string {
  const base64 = base64Of(vector)
  const embedding = sent === 'float' ? JSON.stringify(vector) : `"${isEscaped ? escapedIn(base64) : base64}"`
  const values: Readonly<Record<string, string>> = { object: '"embedding"', index: String(index), embedding }
  const members = order.map(name => `"${isEscaped ? escapedIn(name) : name}"${blank}:${blank}${values[name]}`)
  return `{${isTwice ? '"embedding":[],' : ''}${members.join(`,${blank}`)}${more}}`
}

const answered = (text: string, asked: Encoding, inputs: number) => {
  const terms = { model, backendModel: 'bge', inputTokens: 77, id: 'x', created: 1, encoding: asked, inputs }
  const answer = allAtOnce(readVectors(Buffer.from(text), terms))
  return answer && (JSON.parse(answer.bytes.toString()) as { data: readonly { embedding: unknown }[]; usage: unknown })
}

it('vectors are those of the backend, in the form and order that were asked for, however it wrote them', () => {
  const list = count.chain(inputs =>
    fc.record({
      items: fc.array(item, { minLength: inputs, maxLength: inputs }),
      order: fc.shuffledSubarray(
        Array.from({ length: inputs }, (_, i) => i),
        { minLength: inputs },
      ),
    }),
  )
  fc.assert(
    fc.property(list, encoding, fc.boolean(), ({ items, order }, asked, isEscaped) => {
      const all = items.map(written)
      const data = `[${order.map(index => all[index]).join(', ')}]`
      const name = isEscaped ? 'd\\u0061ta' : 'data'
      const answer = answered(`{"id":"e","${name}":${data},"usage":{"prompt_tokens":5}}`, asked, items.length)

      expect(answer?.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 })
      expect(answer?.data).toEqual(
        items.map(({ vector }, index) => ({
          object: 'embedding',
          index,
          embedding: asked === 'float' ? vector.map(number => number + 0) : base64Of(vector),
        })),
      )
      const [first] = answer?.data ?? []
      if (typeof first?.embedding === 'string') expect(numbersIn(first.embedding)).toHaveLength(SIZE)
    }),
  )
})

it('an answer that a parser refuses, or that lacks something, is none', () => {
  const text = JSON.stringify({
    data: [0, 1].map(index => ({ object: 'embedding', index, embedding: [1, 2.5, -3e-2] })),
    usage: { prompt_tokens: 5 },
  })
  expect(answered(text, 'float', 2)?.data).toHaveLength(2)
  fc.assert(
    fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom('', ',', '}', ']', '"', '1', 'e'), (at, letter) => {
      const changed = `${text.slice(0, at)}${letter}${text.slice(at + 1)}`
      const answer = answered(changed, 'float', 2)
      if (!answer) return
      // Where it is one, a parser takes it, and finds the same numbers in it.
      const { data } = JSON.parse(changed) as { data: readonly { index: number; embedding: readonly number[] }[] }
      expect(answer.data.map(({ embedding }) => embedding)).toEqual(
        data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding),
      )
    }),
    { numRuns: 1000 },
  )
})
