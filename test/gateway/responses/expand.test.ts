import { describe, expect, it } from 'vitest'
import { expand, type Keeper } from '../../../src/gateway/responses/expand.ts'
import type { KeptResponse } from '../../../src/gateway/responses/kept-responses.ts'
import { wholeTexts } from '../../../src/wire/fast/marked-texts.ts'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { referencesIn } from '../../../src/wire/responses/kept-items.ts'
import { allAtOnce } from '../../../src/wire/steps.ts'

const said = (id: string, text: string): JsonObject => ({ id, type: 'message', role: 'assistant', content: text })

/** A keeper of responses by their ids, which notes what is read. */
function keeperOf(responses: Readonly<Record<string, Partial<KeptResponse>>>) {
  const read: string[] = []
  const find = (id: string): KeptResponse | undefined => {
    const kept = responses[id]
    read.push(id)
    return kept && { texts: wholeTexts, response: { id }, input: [], items: [], said: [], bytes: 100, ...kept }
  }
  const keeper: Keeper = {
    read: async (_, id) => find(id),
    readByItem: async (_, item) => {
      const id = Object.keys(responses).findLast(each => responses[each]?.items?.includes(item))
      return id === undefined ? undefined : find(id)
    },
  }
  return { keeper, read }
}

const expanded = (keeper: Keeper, body: JsonObject, limitBytes = 1_000_000) =>
  expand(keeper, body, referencesIn(body) ?? { items: [] }, {
    account: 'acct_ada',
    reading: { hold: () => undefined, work: async (_bytes, steps) => allAtOnce(steps) },
    texts: wholeTexts,
    bytes: JSON.stringify(body).length,
    limitBytes,
  })

describe('a body that refers to kept items', () => {
  it('is refused where the conversation and it have more values than a body may', async () => {
    const parts = Array.from({ length: 60_000 }, () => 0)
    const { keeper } = keeperOf({ resp_1: { said: [{ ...said('msg_1', 'hi'), parts }] } })
    const asked = (values: number) =>
      expanded(keeper, { previous_response_id: 'resp_1', input: [{ role: 'user', content: Array(values).fill(0) }] })

    expect(await asked(40_000)).toHaveProperty('body')
    expect(await asked(50_000)).toEqual({
      denial: {
        code: 'VALIDATION_ERROR',
        field: 'previous_response_id',
        problem: expect.stringContaining('more than 105000 values together'),
        reason: 'context_length_exceeded',
      },
    })
  })

  it('is refused where there is no room in memory for what it refers to', async () => {
    const crowded = { denial: { code: 'OVERLOADED', of: 'account_bodies' } } as const
    const keeper: Keeper = { read: async () => crowded, readByItem: async () => crowded }

    expect(await expanded(keeper, { previous_response_id: 'resp_1', input: 'x' })).toEqual(crowded)
    expect(await expanded(keeper, { input: [{ id: 'msg_1' }] })).toEqual(crowded)
  })

  it('reads one response for all the items of a conversation', async () => {
    const items = Array.from({ length: 40 }, (_, at) => said(`msg_${at}`, `said ${at}`))
    const ids = items.map(({ id }) => String(id))
    const { keeper, read } = keeperOf({
      resp_1: { items: ids.slice(0, 20), said: items.slice(0, 20) },
      resp_2: { items: ids, said: items },
    })

    const body = await expanded(keeper, {
      model: 'm',
      input: [...ids.map(id => ({ id })), { role: 'user', content: 'x' }],
    })

    expect(body).toMatchObject({ body: { model: 'm', input: [...items, { role: 'user' }] }, items: ids })
    expect(read).toEqual(['resp_2'])
  })

  it('leaves out what only its id is left of, and knows what no response has', async () => {
    const { keeper } = keeperOf({ resp_1: { items: ['rs_1', 'msg_1'], said: [said('msg_1', 'hi')] } })

    expect(await expanded(keeper, { input: [{ type: 'item_reference', id: 'rs_1' }, { id: 'msg_1' }] })).toMatchObject({
      body: { input: [{ id: 'msg_1' }] },
    })
    expect(await expanded(keeper, { input: [{ id: 'msg_1' }, { id: 'msg_2' }] })).toMatchObject({
      denial: { code: 'NOT_FOUND', field: 'input[1]', reason: 'item_not_found' },
    })
  })

  it('is refused where it would have too much read', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`resp_${at}`, { items: [`msg_${at}`], said: [said(`msg_${at}`, 'x')] }]),
    )
    const { keeper, read } = keeperOf(many)

    const spread = await expanded(keeper, { input: Object.keys(many).map((_, at) => ({ id: `msg_${at}` })) })
    expect(spread).toMatchObject({ denial: { code: 'VALIDATION_ERROR', field: 'input' } })
    expect(read).toHaveLength(32)
    const crowd = await expanded(keeper, { input: Array.from({ length: 1025 }, () => ({ id: 'msg_1' })) })
    expect(crowd).toMatchObject({ denial: { code: 'VALIDATION_ERROR', field: 'input' } })
    expect(read).toHaveLength(32)
  })
})

describe('a body that refers to more than a body may have', () => {
  const large = 'x'.repeat(400_000)
  const { keeper, read } = keeperOf({
    resp_1: { items: ['msg_1'], said: [said('msg_1', large)], bytes: 400_100 },
    resp_2: { items: ['msg_2'], said: [said('msg_2', 'x')], bytes: 1_500_000 },
    resp_3: { items: ['msg_3'], said: [said('msg_3', 'x')], bytes: 1_500_000 },
  })
  const tooLong = { denial: { code: 'VALIDATION_ERROR', field: 'input', reason: 'context_length_exceeded' } }

  it('is refused before it is put together, where it names one item often', async () => {
    expect(await expanded(keeper, { input: Array.from({ length: 1000 }, () => ({ id: 'msg_1' })) })).toMatchObject(
      tooLong,
    )
    expect(await expanded(keeper, { input: [{ id: 'msg_1' }, { id: 'msg_1' }] })).toMatchObject({
      addedBytes: expect.any(Number),
    })
  })

  it('is refused before all of the responses are read', async () => {
    read.length = 0
    expect(await expanded(keeper, { input: ['msg_1', 'msg_2', 'msg_3'].map(id => ({ id })) })).toMatchObject(tooLong)
    expect(read).toEqual(['resp_3', 'resp_2'])
  })
})

describe('a body that goes on from a response', () => {
  const { keeper } = keeperOf({
    resp_1: { items: ['msg_1'], said: [{ role: 'user', content: 'one' }, said('msg_1', 'two')], bytes: 90 },
  })

  it('has all that was said before its input, be that a text, a list or nothing', async () => {
    const before = [{ role: 'user', content: 'one' }, { id: 'msg_1' }]
    for (const [input, after] of [
      ['three', [{ role: 'user', content: [{ type: 'input_text', text: 'three' }] }]],
      [[{ role: 'user', content: 'three' }], [{ role: 'user', content: 'three' }]],
      [undefined, []],
    ] as const) {
      const body = await expanded(keeper, { previous_response_id: 'resp_1', input, tools: [] })
      expect(body).toMatchObject({ body: { input: [...before, ...after], tools: [] }, items: ['msg_1'] })
      expect(body).not.toHaveProperty('body.previous_response_id')
    }
  })

  it('is refused where the response is not there, or both are more than a body may have', async () => {
    expect(await expanded(keeper, { previous_response_id: 'resp_2', input: 'x' })).toMatchObject({
      denial: { code: 'VALIDATION_ERROR', field: 'previous_response_id', reason: 'previous_response_not_found' },
    })
    expect(await expanded(keeper, { previous_response_id: 'resp_1', input: 'x'.repeat(80) }, 200)).toMatchObject({
      denial: { code: 'VALIDATION_ERROR', field: 'previous_response_id', reason: 'context_length_exceeded' },
    })
  })
})
