import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/config/settings.ts'
import { type Answer, breaksOff, cuts, hangs, redirects, says, saysJson } from '../../support/door.ts'
import { type HttpTool, startHttpTool } from '../../support/http-tool.ts'
import { closeAll, closing, http, Tools } from './fixture.ts'

afterEach(closeAll)

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
  additionalProperties: false,
}

async function start(): Promise<{ server: HttpTool; tools: Tools }> {
  const server = closing(await startHttpTool())
  const key = new Secret('tool-key-1')
  const tools = closing(
    new Tools({
      any: http(server, { key }),
      weather: http(server, { parameters: PARAMETERS }),
      small: http(server, { maxResultBytes: 64 }),
    }),
  )
  return { server, tools }
}

it('the arguments are posted as JSON, with the key of the tool and nothing else of ours', async () => {
  const { server, tools } = await start()
  expect(await tools.call('any', { city: 'Köln', days: [1, { two: null }] })).toEqual({
    text: '{"ok":true}',
    failed: false,
  })
  expect(server.calls).toEqual([{ city: 'Köln', days: [1, { two: null }] }])
  const [{ method, path, headers } = { method: '', path: '', headers: {} }] = server.requests
  expect({ method, path, ...headers }).toEqual({
    method: 'POST',
    path: '/tool',
    host: new URL(server.url).host,
    connection: 'keep-alive',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'content-length': '40',
    authorization: 'Bearer tool-key-1',
  })
})

it('without a key there is no authorization', async () => {
  const { server, tools } = await start()
  await tools.call('small')
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

it('a tool is told as it is declared', async () => {
  const { tools } = await start()
  expect(await tools.define('weather')).toEqual({ description: 'Does it.', parameters: PARAMETERS })
})

it.each([
  ['[1, 2]', '[1,2]'],
  ['{ "a" : "b c" }', '{"a":"b c"}'],
  ['"just text\\nof two lines"', 'just text\nof two lines'],
  ['"caf\\u00e9"', 'café'],
  ['null', 'null'],
  ['1.50', '1.5'],
  ['{"id": 12345678901234567890}', '{"id": 12345678901234567890}'],
])('the JSON %s is the text %s', async (body, said) => {
  const { server, tools } = await start()
  server.next(says(200, 'application/json; charset=utf-8', body))
  expect(await tools.call('any')).toEqual({ text: said, failed: false })
})

it.each([
  [201, 'application/vnd.api+json', '{}', '{}'],
  [202, 'APPLICATION/JSON', '{}', '{}'],
  [204, undefined, '', ''],
])('%i with %s is a result', async (status, type, body, said) => {
  const { server, tools } = await start()
  server.next(says(status, type, body))
  expect(await tools.call('any')).toEqual({ text: said, failed: false })
})

const FAULTS: readonly [string, Answer, string][] = [
  ['HTML', says(200, 'text/html', '<p>'), 'the tool answered something else than JSON'],
  ['no content type', says(200, undefined, '{}'), 'the tool answered something else than JSON'],
  [
    'a type that only looks like JSON',
    says(200, 'application/jsonp', '{}'),
    'the tool answered something else than JSON',
  ],
  ['broken JSON', says(200, 'application/json', '{"a":'), 'the tool answered something that cannot be read'],
  ['nothing', says(200, 'application/json', ''), 'the tool answered something that cannot be read'],
  ['more than 1 MiB', saysJson('x'.repeat(1_048_576)), 'the tool answered more than 1 MiB'],
  ['a body that breaks off', breaksOff('application/json', '{"a"'), 'the tool could not be reached'],
  ['a cut connection', cuts, 'the tool could not be reached'],
  [
    '500',
    says(500, 'application/json', '{"error":"out of\\nluck"}'),
    'the tool answered 500: {"error":"out of\\nluck"}',
  ],
  ['503 in HTML', says(503, 'text/html', '<p>stack at secret.js:1</p>'), 'the tool answered 503'],
  ['401', says(401, 'text/plain', 'who are you?'), 'the tool answered 401: who are you?'],
  ['a redirect that may drop the body', redirects(301, '/tool'), 'the tool sent the request elsewhere'],
  ['a redirect to nowhere', redirects(308, 'http://['), 'the tool sent the request elsewhere'],
  ['redirects in circles', redirects(307, '/tool'), 'the tool sent the request elsewhere'],
]

describe('a call fails, with one alarm however often, and one more when it works, after', () => {
  it.each(FAULTS)('%s', async (_, answer, said) => {
    const { server, tools } = await start()
    server.always(answer)
    for (let n = 0; n < 3; n++) expect(await tools.call('any')).toEqual({ text: said, failed: true, free: true })
    expect(tools.alarms).toMatchObject([{ message: 'a hosted tool fails', tool: 'any' }])
    server.always(undefined)
    expect((await tools.call('any')).failed).toBe(false)
    expect(tools.alarms.slice(1)).toEqual([{ message: 'a hosted tool works again', tool: 'any' }])
  })
})

it('a refusal of what a model asked is a failed result with what was said, and no alarm', async () => {
  const { server, tools } = await start()
  server.next(saysJson({ error: `no such city ${'x'.repeat(2000)}` }, 422))
  const { text, failed } = await tools.call('any')
  expect(failed).toBe(true)
  expect(text).toMatch(/^the tool answered 422: \{"error":"no such city x{400,}…$/)
  expect(text.length).toBeLessThan(600)
  expect(tools.alarms).toEqual([])
})

it.each([301, 302, 303, 307, 308])('a redirect to another origin is not followed: %i', async status => {
  const { server, tools } = await start()
  const other = closing(await startHttpTool())
  server.next(redirects(status, other.url))
  expect(await tools.call('any')).toEqual({ text: 'the tool sent the request elsewhere', failed: true, free: true })
  expect(other.requests).toEqual([])
})

it('three redirects within the origin are followed, with method, body and key', async () => {
  const { server, tools } = await start()
  server.next(redirects(307, '/a'), redirects(308, '/b'), redirects(307, `${server.origin}/c?d=1`))
  expect(await tools.call('any', { n: 1 })).toEqual({ text: '{"ok":true}', failed: false })
  expect(server.requests.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual(
    ['/tool', '/a', '/b', '/c?d=1'].map(path => ['POST', path, 'Bearer tool-key-1']),
  )
  expect(server.calls).toEqual(Array(4).fill({ n: 1 }))
})

it('an aborted call is given up at once, its connection is closed, and no alarm is raised', async () => {
  const { server, tools } = await start()
  server.next(hangs)
  const controller = new AbortController()
  const call = tools.call('any', {}, controller.signal)
  await server.until(() => server.requests.length === 1)
  controller.abort()
  expect(await call).toEqual({ text: 'the tool was given up before it answered', failed: true })
  await server.until(() => server.aborted === 1)
  expect(tools.alarms).toEqual([])
})

it('a call that is aborted before it starts asks nothing', async () => {
  const { server, tools } = await start()
  expect(await tools.call('any', {}, AbortSignal.abort())).toMatchObject({ failed: true })
  expect(server.requests).toEqual([])
})

it('cookies are not kept', async () => {
  const { server, tools } = await start()
  server.next(says(200, 'application/json', '{}', { 'set-cookie': 'a=b' }))
  await tools.call('any')
  await tools.call('any')
  expect(server.requests[1]?.headers.cookie).toBeUndefined()
})

it.each([
  [{}, "the arguments do not fit the parameters: / must have required property 'city'"],
  [{ city: 1 }, 'the arguments do not fit the parameters: /city must be string'],
  [{ city: 'x', days: 0 }, 'the arguments do not fit the parameters: /days must be >= 1'],
  [{ city: 'x', more: 1 }, 'the arguments do not fit the parameters: / must NOT have additional properties'],
])('arguments that do not fit are not sent, and what is wrong is told: %j', async (args, text) => {
  const { server, tools } = await start()
  expect(await tools.call('weather', args)).toEqual({ text, failed: true, free: true })
  expect(server.requests).toEqual([])
  expect(tools.alarms).toEqual([])
})

it('arguments whose members shadow what objects inherit do not fit, and are not sent', async () => {
  const { server } = await start()
  const parameters = { type: 'object', properties: { places: { type: 'array', uniqueItems: true } } }
  const tools = closing(new Tools({ unique: http(server, { parameters }) }))

  for (const member of ['valueOf', 'toString'])
    expect(await tools.call('unique', { places: [{ [member]: 1 }, { [member]: 1 }] })).toEqual({
      text: 'the arguments cannot be compared: rename members called `valueOf` or `toString`',
      failed: true,
      free: true,
    })
  expect(server.requests).toEqual([])
})

it.each([
  ['{"city":', /^the arguments are not JSON: /],
  ['[1]', /^the arguments are not a JSON object$/],
  ['null', /^the arguments are not a JSON object$/],
  ['"city"', /^the arguments are not a JSON object$/],
  [`{"a":${'['.repeat(64)}${']'.repeat(64)}}`, /^the arguments are nested deeper than 64 levels$/],
  [`{"a":${'['.repeat(32_000)}${']'.repeat(32_000)}}`, /^the arguments are nested deeper than 64 levels$/],
  [`{"a":"${'é'.repeat(32_768)}"}`, /^the arguments are longer than 64 KiB$/],
])('arguments that are no object of JSON are not sent, and what is wrong is told: %.20s', async (args, text) => {
  const { server, tools } = await start()
  expect(await tools.call('any', args)).toEqual({ text: expect.stringMatching(text), failed: true, free: true })
  expect(server.requests).toEqual([])
})

it('63 levels of arrays in an object, and no arguments at all, are sent', async () => {
  const { server, tools } = await start()
  expect((await tools.call('any', `{"a":${'['.repeat(63)}${']'.repeat(63)}}`)).failed).toBe(false)
  expect((await tools.call('any', ' ')).failed).toBe(false)
  expect(server.calls[1]).toEqual({})
})

it('a long result is cut, with a mark', async () => {
  const { server, tools } = await start()
  server.next(saysJson('€'.repeat(100)))
  const { text, failed } = await tools.call('small')
  expect([text, failed]).toEqual([`${'€'.repeat(14)}\n[258 bytes left out]`, false])
})

it('a tool that is not configured is a failed result', async () => {
  const { tools } = await start()
  expect(await tools.call('other')).toEqual({ text: 'there is no such tool', failed: true, free: true })
  expect(await tools.define('other')).toBeUndefined()
})

it('calls under way end after closing', async () => {
  const { server, tools } = await start()
  let answer = () => {}
  server.next((_, response) => {
    answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end('1')
  })
  const call = tools.call('any')
  await server.until(() => server.requests.length === 1)
  tools.close()
  answer()
  expect(await call).toEqual({ text: '1', failed: false })
})
