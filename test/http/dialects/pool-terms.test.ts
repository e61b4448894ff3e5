import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOTH, Dialects, named } from './fixture.ts'

let site: Dialects

const PRICES = '{ input: 1, cached_input: 0.1, cache_write: 1.25, output: 10 }'
const MODELS = `
  svc-cached: { kind: chat, tier: guest, serve: [native], context: 64k, usd_per_1m: ${PRICES} }
  svc-strict: { kind: chat, tier: guest, serve: [onprem], context: 64k, lossy: refuse, usd_per_1m: ${PRICES} }
  svc-either: { kind: chat, tier: guest, serve: [onprem, search], context: 64k, lossy: refuse, usd_per_1m: ${PRICES} }
`

beforeEach(async () => {
  site = await Dialects.start()
  await site.test.reload({}, yaml => yaml.replace('\nmodels:\n', `\nmodels:${MODELS}`))
})

afterEach(() => site.close())

describe.each(BOTH)('a request of $path', ({ path, body, answer, events }) => {
  it('that is not translated pays tokens of a cache at their price, whole or streamed', async () => {
    site.native.next(answer, named(events))
    await (await site.ask(path, body('svc-cached'))).text()
    await (await site.ask(path, { ...body('svc-cached'), stream: true })).text()

    // 7 × 1 µUSD, 3 of the cache × 0.1, and 4 × 10
    const row = { inputTokens: 10, cachedTokens: 3, outputTokens: 4, cost: 47_300, estimated: false }
    expect(await site.test.ledger()).toMatchObject([row, row])
  })
})

/** A function, and a tool that its service would run. */
const TOOLS = {
  messages: [
    { name: 'look', input_schema: { type: 'object', properties: {} } },
    { type: 'web_search_20250305', name: 'web_search' },
  ],
  responses: [{ type: 'function', name: 'look', parameters: {}, strict: false }, { type: 'web_search' }],
}

describe.each(BOTH)('a model with lossy: refuse, asked for $path', ({ path, body, answer }) => {
  const asked = (model: string) => site.ask(path, { ...body(model), tools: TOOLS[path] })

  it('refuses what would lose a tool, in the form of the client, and charges nothing', async () => {
    const response = await asked('svc-strict')

    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { type: string; message: string } }
    expect(error.type).toBe('invalid_request_error')
    expect(error.message).toMatch(/web_search\w* cannot be used with svc-strict/)
    expect(site.chats.requests).toEqual([])
    expect(await site.test.ledger()).toEqual([])
  })

  it('sends it past pools of other dialects to one that speaks its own and allows the tool', async () => {
    site.native.next(answer)
    const response = await asked('svc-either')

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-upstream')).toBe('search')
    expect(response.headers.get('x-svc-ignored-tools')).toBeNull()
    expect(site.native.requests[0]?.body.tools).toEqual(TOOLS[path])
  })

  it('answers what loses nothing at the first pool', async () => {
    const response = await site.ask(path, body('svc-either'))

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-upstream')).toBe('onprem')
  })
})
