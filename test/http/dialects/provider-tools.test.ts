import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { json } from '../../support/backend.ts'
import { BOTH, Dialects, eventsIn, named } from './fixture.ts'

let site: Dialects

beforeEach(async () => {
  site = await Dialects.start()
})

afterEach(() => site.close())

/** A search that the provider runs, and a tool of the client's own, by path. */
const TOOLS = {
  messages: [
    { type: 'web_search_20250305', name: 'web_search' },
    { name: 'get', input_schema: { type: 'object', properties: {} } },
  ],
  responses: [
    { type: 'web_search', external_web_access: false },
    { type: 'function', name: 'get', parameters: { type: 'object', properties: {} } },
  ],
}

describe.each(BOTH)('a search that the provider of $path runs', own => {
  const { path, body } = own
  const tools = TOOLS[path]
  const [search] = tools

  it('goes with the rest of the request to a pool that allows it', async () => {
    site.native.next(own.answer)
    const response = await site.ask(path, { ...body('svc-search'), tools })
    expect(await response.json()).toEqual(own.whole)
    expect(response.headers.get('x-svc-ignored-tools')).toBeNull()
    expect(site.native.requests[0]?.path).toBe(`/v1/${path}`)
    expect(site.native.requests[0]?.body.tools).toEqual(tools)
  })

  it('is cut out for a pool that does not allow it, which gets all else as it came, and the answer says so', async () => {
    site.native.next(own.answer)
    const response = await site.ask(path, { ...body('svc-native'), metadata: { as: 'it is' }, tools })
    expect(await response.json()).toEqual(own.whole)
    expect(response.headers.get('x-svc-ignored-tools')).toBe('web_search')
    const [seen] = site.native.requests
    expect(seen?.path).toBe(`/v1/${path}`)
    expect(seen?.body).toMatchObject({ metadata: { as: 'it is' }, tools: tools.slice(1) })
    expect(seen?.body.tools).toHaveLength(1)
    expect(await site.bill()).toMatchObject({ tokens: [10, 4], pool: 'native' })
  })

  it('is left out of a stream alike', async () => {
    site.native.next(named(own.events))
    const heard = await eventsIn(await site.ask(path, { ...body('svc-native'), tools, stream: true }))
    expect(heard.at(-1)?.[0]).toBe(path === 'messages' ? 'message_stop' : 'response.completed')
    expect(site.native.requests[0]?.body.tools).toHaveLength(1)
    expect(await site.bill()).toMatchObject({ tokens: [10, 4], pool: 'native' })
  })

  it('is refused where it is all that the request lists, and no pool of the model allows it', async () => {
    const response = await site.ask(path, { ...body('svc-native'), tools: [search] })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('web_search cannot be used with svc-native')
    expect(site.native.requests).toHaveLength(0)

    site.native.next(own.answer)
    expect((await site.ask(path, { ...body('svc-search'), tools: [search] })).status).toBe(200)
    expect(site.native.requests[0]?.body.tools).toEqual([search])
  })
})

it.each([
  ['responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
  ['responses', { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://example.com' }] }],
  ['responses', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }],
  ['responses', { input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'file_search' }] }] }],
  ['messages', { mcp_servers: [{ type: 'url', name: 'x', url: 'https://example.com' }] }],
  ['messages', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }],
] as const)('another provider tool of %s is refused by a pool that allows only searches: %j', async (path, more) => {
  const [messages, responses] = BOTH
  const { body } = path === 'messages' ? messages : responses
  const response = await site.ask(path, { ...body('svc-search'), ...more })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('cannot be used with svc-search')
  expect(site.native.requests).toHaveLength(0)
})

it("a shell of the client's own goes to a pool that speaks the dialect", async () => {
  const [, { body, whole }] = BOTH
  site.native.next(json(whole))
  const tools = [{ type: 'shell', environment: { type: 'local' } }]
  expect((await site.ask('responses', { ...body('svc-native'), tools })).status).toBe(200)
  expect(site.native.requests[0]?.body.tools).toEqual(tools)
})
