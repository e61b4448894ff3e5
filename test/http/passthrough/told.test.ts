import { expect } from 'vitest'
import { Door } from '../../support/door.ts'
import { post, say, startPassing } from './fixture.ts'
import { passingTest as it } from './passing-test.ts'

it('a request that names no model is told of as one of the route’s model, also when nobody answers it', async ({
  backend,
  gateway,
  key,
}) => {
  backend.on((request, response) => request.resume().on('end', () => response.writeHead(404).end()))

  await (await say(gateway, '/v1/moderations', key)).text()
  await (await post(gateway, '/v1/audio/transcriptions', { key, type: 'audio/wav', body: 'RIFF' })).text()

  expect(await gateway.logged(2)).toMatchObject([
    { status: 503, asked: 'svc-rank' },
    { status: 503, asked: 'svc-voice' },
  ])
})

it('a backend that dies in the middle of an answer is told of as that, not as a client that left', async ({
  backend,
  gateway,
  key,
}) => {
  backend.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    response.write('some', () => setTimeout(() => response.socket?.resetAndDestroy(), 10))
  })

  await (await say(gateway, '/v1/audio/speech', key)).text().catch(() => {})

  const [entry] = await gateway.logged(1)
  expect(entry).toMatchObject({ status: 200, interrupted: expect.stringMatching(/ECONNRESET|broke/) })
})

it('a client that leaves in the middle of an answer is told of as any other that leaves', async ({
  backend,
  gateway,
  key,
}) => {
  backend.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('some')
  })
  const controller = new AbortController()
  const { signal } = controller
  await post(gateway, '/v1/audio/speech', { key, type: 'application/json', body: '{}', signal })

  controller.abort()

  const [entry] = await gateway.logged(1)
  expect(entry).toMatchObject({ status: 499, interrupted: 'client gone' })
})

it('a trace names the method of the request, and the status that the backend answered with', async ({ backend }) => {
  backend.on((request, response) => request.resume().on('end', () => response.writeHead(204).end()))
  const collector = new Door((_received, response) => response.writeHead(200).end())
  await collector.open()
  const traced = await startPassing({ onprem: [backend], yaml: `traces: { endpoint: "${collector.origin}" }` })
  try {
    const pro = await traced.key('pro')
    await (await post(traced, '/v1/audio/voices', { key: pro, method: 'GET' })).text()
    await traced.gateway.close(0)

    const sent = collector.requests.map(({ rawBody }) => rawBody).join()
    expect(sent).toContain('{"key":"http.request.method","value":{"stringValue":"GET"}}')
    expect(sent.match(/"http.response.status_code","value":\{"intValue":\d+/g)).toEqual([
      '"http.response.status_code","value":{"intValue":204',
      '"http.response.status_code","value":{"intValue":204',
    ])
  } finally {
    await traced.close()
    await collector.close()
  }
})
