import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOTH, Dialects } from './fixture.ts'

/** Fields that a model declares in `accepts`, in the bodies of Responses and Messages: the same as in chats. */

let site: Dialects

const ACCEPTS = 'accepts: { guided: { max_size: 16KB }, tone: { one_of: [warm, dry] } }'
const PRICE = 'usd_per_1m: { input: 1, output: 10 }'
const MODELS = `
  svc-declares: { kind: chat, tier: guest, serve: [native], context: 64k, ${PRICE}, ${ACCEPTS} }
  svc-translated: { kind: chat, tier: guest, serve: [onprem], context: 64k, ${PRICE}, ${ACCEPTS} }
  svc-strict: { kind: chat, tier: guest, serve: [onprem], context: 64k, lossy: refuse, ${PRICE}, ${ACCEPTS} }
`

beforeEach(async () => {
  site = await Dialects.start()
  await site.test.reload({}, yaml => yaml.replace('\nmodels:\n', `\nmodels:${MODELS}`))
})

afterEach(() => site.close())

const guided = { schema: { type: 'object', Model: 'x' } }
const declared = { guided, tone: 'dry' }

describe.each(BOTH)('a body of $path', ({ path, body, answer }) => {
  it('carries them to a pool of its dialect as they came', async () => {
    site.native.next(answer)
    const response = await site.ask(path, { ...body('svc-declares'), ...declared })

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-ignored-fields')).toBeNull()
    expect(site.native.requests[0]?.body).toMatchObject(declared)
  })

  it.each(['svc-translated', 'svc-strict'])(
    'carries them through a translation, of which %s loses none',
    async model => {
      const response = await site.ask(path, { ...body(model), ...declared })

      expect(response.status).toBe(200)
      expect(response.headers.get('x-svc-ignored-fields')).toBeNull()
      expect(site.chats.requests[0]?.body).toMatchObject(declared)
    },
  )

  it.each([
    ['svc-declares', { tone: 'cold' }, 'tone: must be one of'],
    ['svc-translated', { tone: 'cold' }, 'tone: must be one of'],
    ['svc-declares', { guided: 'x'.repeat(17_000) }, 'guided: must have at most 16000 bytes'],
    ['svc-translated', { guided: 'x'.repeat(17_000) }, 'guided: must have at most 16000 bytes'],
  ])('is refused by %s where %o is beyond the bound', async (model, more, problem) => {
    const response = await site.ask(path, { ...body(model), ...more })

    expect(response.status).toBe(400)
    expect(await response.text()).toContain(problem)
    expect([site.native.requests, site.chats.requests]).toEqual([[], []])
  })

  it.each([
    ['a provider', 'svc-seeing'],
    ['a translation', 'svc-core'],
  ])('goes without them to %s of a model that does not declare them, which its answer names', async (_, model) => {
    site.native.next(answer)
    const response = await site.ask(path, { ...body(model), ...declared })

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-ignored-fields')?.split(', ').sort()).toEqual(['guided', 'tone'])
    const [sent] = [...site.native.requests, ...site.chats.requests]
    expect(sent?.rawBody).not.toMatch(/guided|tone/)
  })

  it('does not reach an engine of a model that does not declare them', async () => {
    const response = await site.ask(path, { ...body('svc-native'), ...declared })

    expect(response.status).toBe(400)
    expect(await response.text()).toContain('is not accepted by svc-native')
    expect(site.native.requests).toEqual([])
  })

  it.each(['svc-declares', 'svc-translated'])('weighs all that %s may read in them, names too', async model => {
    const key = await site.test.key('tight', 'tess')
    const ask = (more: object) =>
      fetch(`${site.test.url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body(model), ...more }),
      })

    // The minute of the plan has 10,000 tokens.
    const refused = await ask({ guided: { ['x'.repeat(12_000)]: 1 } })
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringMatching(/needs up to 12,1\d\d tokens, but plan tight allows 10,000/),
    ])
    site.native.next(answer)
    expect((await ask({ guided: { x: 1 } })).status).toBe(200)
  })
})

describe('a body of Responses at the path of chats', () => {
  const ask = (model: string, more: object = declared) =>
    site.test.chat(site.key, { messages: undefined, model, input: [{ role: 'user', content: 'Hi' }], ...more })

  it('carries them within their bounds', async () => {
    const response = await ask('svc-translated')

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-ignored-fields')).toBeNull()
    expect(site.chats.requests[0]?.body).toMatchObject(declared)
    expect((await ask('svc-translated', { tone: 'cold' })).status).toBe(400)
  })

  it('goes without them to a model that does not declare them, which its answer names', async () => {
    const response = await ask('svc-core')

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-ignored-fields')?.split(', ').sort()).toEqual(['guided', 'tone'])
    expect(site.chats.requests[0]?.rawBody).not.toMatch(/guided|tone/)
  })
})
