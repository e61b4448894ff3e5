import { randomBytes } from 'node:crypto'
import { array, assert, asyncProperty, boolean, constantFrom, integer, oneof, record, string, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { Secret } from '../../../src/config/settings.ts'
import { expand } from '../../../src/gateway/responses/expand.ts'
import { KeptResponses } from '../../../src/gateway/responses/kept-responses.ts'
import type { KeptResponse, ResponseStore } from '../../../src/gateway/store/response-store.ts'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { parseDialect } from '../../../src/wire/openai/body.ts'
import { itemsOf, listed, referencesIn } from '../../../src/wire/responses/kept-items.ts'
import { allAtOnce, type Steps } from '../../../src/wire/steps.ts'

/** A store of one account, in memory. */
class Shelf implements ResponseStore {
  readonly #kept = new Map<string, KeptResponse>()
  async keep(response: KeptResponse) {
    this.#kept.set(response.id, response)
    return true
  }
  async sizeOf(_: string, id: string) {
    return this.#kept.get(id)?.sealed.length
  }
  async readTotal() {
    return 0
  }
  async read(account: string, id: string) {
    const kept = this.#kept.get(id)
    return kept?.account === account ? kept.sealed : undefined
  }
  async findByItem(_: string, item: string) {
    return [...this.#kept.values()].findLast(({ items }) => items.includes(item))?.id
  }
  async remove(_: string, id: string) {
    return this.#kept.delete(id)
  }
  async sweep() {
    return 0
  }
}

const SETTINGS = {
  keep: 1000,
  keys: [new Secret('k'.repeat(43))],
  maxBytes: 1e6,
  maxResponses: 100,
  maxBytesTotal: 1e9,
  guests: false,
}
const reading = { hold: () => undefined, work: async <T>(_bytes: number, steps: Steps<T>) => allAtOnce(steps) }
const ME = { account: 'acct_ada', reading, bytes: 0, limitBytes: 1e6 }

/** Long ones are left out of what is parsed, unless one has U+0000 as marks have. */
const said = oneof(
  string({ unit: 'grapheme' }),
  tuple(
    constantFrom('x', 'é', '😀', '\\', '"', '\n', '\u00000\u0000', '\\u00000\\u0000'),
    integer({ min: 250, max: 300 }),
  ).map(([piece, size]) => piece.repeat(size)),
)
const picture = integer({ min: 1, max: 400 }).map(size => ({
  role: 'user',
  content: [{ type: 'input_image', image_url: `data:image/png;base64,${'iVBO'.repeat(size)}` }],
}))
const message = oneof(record({ role: constantFrom('user', 'developer'), content: said }), picture)
const input = oneof(
  said.filter(text => text !== ''),
  array(message, { minLength: 1, maxLength: 3 }),
)
const output = array(
  constantFrom<JsonObject>(
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '“yes”' }] },
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'so' }] },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":"\u2028"}' },
  ),
  { minLength: 1, maxLength: 3 },
)
/** Each turn's input and answer, and whether it continues by items or by the previous response. */
const turns = array(record({ input, output, byItems: boolean() }), { minLength: 1, maxLength: 6 })

/** Without the ids that the gateway gives to what has none. */
const bare = (items: unknown): unknown => listed(itemsOf(items) ?? [], () => 'x').map(({ id: _, ...item }) => item)

it('any chain of turns says what a request with everything in it says', async () => {
  await assert(
    asyncProperty(turns, async all => {
      const kept = new KeptResponses(SETTINGS, new Shelf(), { random: randomBytes, alarm: () => expect.fail() })
      let everything: readonly unknown[] = []
      let before: Before | undefined
      for (const [turn, said] of all.entries()) {
        const own = itemsOf(said.input) ?? []
        const asked = await askedOf(kept, bodyOf(said, before))
        everything = [...everything, ...own]
        const { texts } = asked
        expect(bare(texts.whole(asked.body.input))).toEqual(bare(everything))

        const output = said.output.map((item, at): JsonObject => ({ ...item, id: `item_${turn}_${at}` }))
        const response = { id: `resp_${turn}`, status: 'completed', output }
        const input = texts.json(listed(itemsOf(asked.body.input) ?? [], () => `${Math.random()}`))
        expect(texts.jsonSizeOf(itemsOf(asked.body.input))).toBe(texts.json(itemsOf(asked.body.input)).length)
        expect(await kept.keep(ME.account, { input, items: asked.items, isNative: false }, response)).toBe(true)
        // The client has its own items, and refers to those of answers.
        const references = output.map(({ id }) => ({ type: 'item_reference', id }))
        before = { id: response.id, items: [...(before?.items ?? []), ...own, ...references] }
        everything = [...everything, ...output]
      }
    }),
    { numRuns: 100 },
  )
})

/** The response before a turn, and all that a client would send of what was said. */
interface Before {
  readonly id: string
  readonly items: readonly unknown[]
}

function bodyOf({ input, byItems }: { input: unknown; byItems: boolean }, before: Before | undefined): JsonObject {
  if (!before) return { input }
  return byItems ? { input: [...before.items, ...(itemsOf(input) ?? [])] } : { input, previous_response_id: before.id }
}

async function askedOf(kept: KeptResponses, body: JsonObject) {
  const parsed = parseDialect(Buffer.from(JSON.stringify(body)))
  if ('denial' in parsed) return expect.fail(JSON.stringify(parsed.denial))
  const references = referencesIn(parsed.body)
  const { texts } = parsed
  const asked = references
    ? await expand(kept, parsed.body, references, { ...ME, texts })
    : { body: parsed.body, texts, items: [] }
  return 'denial' in asked ? expect.fail(JSON.stringify(asked.denial)) : asked
}

it('a response with more values than a body may have is not kept, and one with as many is', async () => {
  const kept = new KeptResponses(SETTINGS, new Shelf(), { random: randomBytes, alarm: () => expect.fail() })
  const keep = (values: number) => {
    const input = Buffer.from(JSON.stringify([{ role: 'user', content: Array(values).fill(0) }]))
    return kept.keep(ME.account, { input, items: [], isNative: false }, { id: 'resp_1', status: 'completed' })
  }

  expect([await keep(104_000), await keep(106_000)]).toEqual([true, false])
})
