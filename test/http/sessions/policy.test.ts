import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestGateway } from '../../support/gateway.ts'
import { type HeldSocket, SocketBackend } from '../../support/socket-backend.ts'
import { joined, responseDone, startLive } from './fixture.ts'

let backend: SocketBackend
let test: TestGateway
let client: HeldSocket
let server: HeldSocket

const open = async (account?: string) => {
  ;({ client, server } = await joined(test, backend, '/v1/realtime', await test.key('pro', account)))
}

beforeEach(async () => {
  backend = await SocketBackend.start()
  test = await startLive({ onprem: [backend] })
  await open()
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

/** The refusal of a client event: an error, and nothing reaches the backend. */
async function refusedOf(say: () => void) {
  say()
  client.say('still here')
  expect(await server.next()).toBe('still here')
  return JSON.parse(await client.next())
}

/** The event as its backend received it. */
async function passedOf(event: object | string): Promise<string> {
  client.say(event)
  return server.next()
}

const update = (session: object) => ({ type: 'session.update', session: { type: 'realtime', ...session } })
const create = (response: object) => ({ type: 'response.create', response })
const request = (body: object) => ({ type: 'response.create', model: 'svc-live', input: 'Hello', ...body })
const item = (content: object) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [content] },
})
const mcp = { type: 'mcp', server_label: 'docs', server_url: 'https://mcp.example' }
const file = { type: 'input_file', file_id: 'file_1' }

describe('a session goes on, and its backend does not learn of', () => {
  it.each<[string, object, string]>([
    ['another model for the session', update({ model: 'gpt-other' }), 'session.model'],
    ['another model of the gateway', update({ model: 'svc-core' }), 'session.model'],
    ['a model that is no name', update({ model: ['svc-live'] }), 'session.model'],
    ['another model for a response', create({ model: 'gpt-other' }), 'response.model'],
    ['another model of a request', request({ model: 'gpt-other' }), 'model'],
    ['another model in an event of any type', { type: 'anything', session: { model: 'gpt-other' } }, 'session.model'],
    ['an MCP server of the session', update({ tools: [mcp] }), 'session.tools'],
    ['an MCP server of a response', create({ tools: [mcp] }), 'response.tools'],
    ['a tool of the provider', request({ tools: [{ type: 'web_search' }] }), 'tools'],
    ['a tool of the provider with a date', request({ tools: [{ type: 'web_search_preview_2025_03_11' }] }), 'tools'],
    ['a prompt for the session', update({ prompt: { id: 'pmpt_1' } }), 'session.prompt'],
    ['a prompt for a response', create({ prompt: { id: 'pmpt_1' } }), 'response.prompt'],
    ['a prompt of a request', { type: 'response.create', prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['a file in an item', item({ type: 'input_image', file_id: 'file_1' }), 'item.content[0].file_id'],
    [
      'a file for a response',
      create({ input: [{ role: 'user', content: [file] }] }),
      'response.input[0].content[0].file_id',
    ],
    ['a file of a request', request({ input: [{ role: 'user', content: [file] }] }), 'input[0].content[0].file_id'],
    ['a response of another session', request({ previous_response_id: 'resp_other' }), 'previous_response_id'],
    ['a conversation of a request', request({ conversation: 'conv_1' }), 'conversation'],
    ['a conversation of a response', create({ conversation: 'conv_1' }), 'response.conversation'],
    ['an item by its id alone', request({ input: [{ type: 'item_reference', id: 'msg_1' }] }), 'input[0]'],
    ['what runs in the background', request({ background: true }), 'background'],
    ['what costs more', request({ service_tier: 'priority' }), 'service_tier'],
    ['a model by a name in large letters', update({ MODEL: 'gpt-other' }), 'session.MODEL'],
    [
      'a session by a name that is folded to it',
      { type: 'session.update', ſession: { model: 'gpt-other' } },
      'ſession',
    ],
    ['both forms at once', { ...create({}), conversation: 'conv_1' }, 'conversation'],
  ])('%s', async (_name, event, param) => {
    const error = await refusedOf(() => client.say({ event_id: 'event_of_client', ...event }))

    expect(error).toEqual({
      type: 'error',
      event_id: expect.stringMatching(/^event_/),
      status: expect.any(Number),
      error: {
        type: 'invalid_request_error',
        code: expect.toBeOneOf([expect.any(String), null]),
        message: expect.any(String),
        param,
        event_id: 'event_of_client',
      },
    })
  })

  const other = '"session":{"type":"realtime","model":"gpt-other"}'
  const frames: readonly (readonly [string, Buffer, boolean])[] = (
    [
      ['with escapes in its names', '{"\\u0074ype":"session.update","sess\\u0069on":{"m\\u006fdel":"gpt-other"}}'],
      ['behind blanks', `${' '.repeat(5000)}{"type":"session.update",${other}}`],
      ['behind a mark of byte order', `\uFEFF{"type":"session.update",${other}}`],
      ['behind a blank that is none of JSON', `\u00a0\f{"type":"session.update",${other}}`],
      ['with a number that is none of JSON', `{"type":"session.update","n":NaN,${other}}`],
      ['with a comma too many', `{"type":"session.update",${other},}`],
      ['with something behind it', `{"type":"session.update",${other}}{}`],
      ['behind a text as long as may be', `{"type":"session.update","instructions":"${'x'.repeat(90_000)}",${other}}`],
      ['in front of such a text', `{"type":"session.update",${other},"instructions":"${'x'.repeat(90_000)}"}`],
      ['behind sound', `{"type":"input_audio_buffer.append","audio":"${'A'.repeat(90_000)}",${other}}`],
      ['under the type of sound', `{"type":"session.update","type":"input_audio_buffer.append",${other}}`],
    ] as const
  ).flatMap(([name, text]) => [
    [`${name}, in a text`, Buffer.from(text), false] as const,
    [`${name}, in bytes`, Buffer.from(text), true] as const,
  ])
  const utf16 = Buffer.from(`{"type":"session.update",${other}}`, 'utf16le')
  it.each([
    ...frames,
    ['in bytes of UTF-16', utf16, true] as const,
    ['in bytes of UTF-16, the other way round', Buffer.from(utf16).swap16(), true] as const,
  ])('another model %s', async (_name, bytes, binary) => {
    const error = await refusedOf(() => client.ws.send(bytes, { binary }))

    expect(error.error.param).toBeOneOf(['session.model', 'event'])
  })

  it('another model in fragments', async () => {
    const error = await refusedOf(() => {
      for (const part of ['{"type":"sess', 'ion.update","session":{"mod', 'el":"gpt-o'])
        client.ws.send(part, { fin: false })
      client.ws.send('ther"}}', { fin: true })
    })

    expect(error.error.param).toBe('session.model')
  })
})

describe('a session passes on', () => {
  it.each(['svc-live', 'svc-live-latest', 'test-model'])(
    'its own model, %s, by the name that the backend knows',
    async model => {
      expect(JSON.parse(await passedOf(update({ model, voice: 'x'.repeat(500) })))).toEqual(
        update({ model: 'test-model', voice: 'x'.repeat(500) }),
      )
      expect(JSON.parse(await passedOf(request({ model })))).toMatchObject({ model: 'test-model', input: 'Hello' })
    },
  )

  it.each([
    ['sound', '{ "type":"input_audio_buffer.append" , "audio":"UklG\\/g==" }'],
    ['sound as long as may be', `{"type":"input_audio_buffer.append","audio":"${'A'.repeat(90_000)}"}`],
    [
      'a model that transcribes',
      JSON.stringify(update({ audio: { input: { transcription: { model: 'whisper-1' } } } })),
    ],
    ['a response beside the conversation', JSON.stringify({ ...create({ conversation: 'none' }), event_id: 'e' })],
    ['tools of the client', JSON.stringify(update({ tools: [{ type: 'function', name: 'f', parameters: {} }] }))],
    ['an event of another protocol', '{"prompt":"Hello","n":1.0}'],
    ['a text', 'hello {"session":{"model":"gpt-other"}}'],
    ['a list', '["{", 1]'],
    ['nothing', ''],
  ])('%s, byte by byte', async (_name, text) => {
    expect(await passedOf(text)).toBe(text)
  })

  it('bytes that are no event', async () => {
    for (const bytes of [
      Buffer.alloc(50_000),
      Buffer.from([0x7b, 0x00, 0x7b, 0x81]),
      Buffer.from([0x7b, 0x22, 0x00]),
    ]) {
      client.ws.send(bytes, { binary: true })
      expect(await server.next()).toBe(`<${bytes.length}>`)
    }
  })

  it('of a name that stands twice the one that it has read', async () => {
    expect(await passedOf('{"type":"session.update","session":{"model":"gpt-other"},"session":{"voice":"ash"}}')).toBe(
      '{"type":"session.update","session":{"voice":"ash"}}',
    )
  })

  it('tools of the provider that the pool allows', async () => {
    const reloaded = await test.reload({ onprem: [backend], fields: { onprem: 'provider_tools: [mcp]' } })
    expect(reloaded).not.toHaveProperty('denial')
    await open('bob')

    expect(JSON.parse(await passedOf(update({ tools: [mcp] })))).toEqual(update({ tools: [mcp] }))
  })

  it('requests of which nothing is kept at the provider, and those that go on from a response of the session', async () => {
    expect(JSON.parse(await passedOf(request({ store: true })))).toMatchObject({ store: false, model: 'test-model' })
    server.say({ type: 'response.created', response: { id: 'resp_1' } })
    server.say({ ...responseDone(10, 5), type: 'response.completed' })
    await client.until(() => client.got.length === 2)
    client.got.length = 0

    expect(JSON.parse(await passedOf(request({ previous_response_id: 'resp_1' })))).toMatchObject({
      previous_response_id: 'resp_1',
      store: false,
    })
    const error = await refusedOf(() => client.say(request({ previous_response_id: 'resp_2' })))
    expect(error).toMatchObject({ status: 400, error: { code: 'previous_response_not_found' } })
  })
})

it('what is refused costs nothing, and what was said after it is charged', async () => {
  await refusedOf(() => client.say(update({ model: 'gpt-other' })))
  server.say(responseDone(100, 20))
  await client.next()
  client.ws.close(1000)

  await test.logged(1)
  expect(await test.ledger()).toMatchObject([{ inputTokens: 100, outputTokens: 20 }])
})
