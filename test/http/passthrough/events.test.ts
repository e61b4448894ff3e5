import type http from 'node:http'
import { expect } from 'vitest'
import type { ByteBackend } from '../../support/bytes.ts'
import { say } from './fixture.ts'
import { passingTest as it } from './passing-test.ts'

/** Its meter is usage, of 2,000 tokens in at 2 USD and 100 out at 10 USD for a million. */
const BY_USAGE = '/v1/rerank'
const BY_SECOND = '/v1/audio/sing'

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
const delta = (text: string) => event({ type: 'response.output_text.delta', delta: text })
const COMPLETED = event({ type: 'response.completed', response: { usage: { input_tokens: 40, output_tokens: 9 } } })

/** The next answer, of which the test sends the events. */
function answering(backend: ByteBackend, type = 'text/event-stream; charset=utf-8'): Promise<http.ServerResponse> {
  return new Promise(resolve =>
    backend.on((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': type }).flushHeaders()
      resolve(response)
    }),
  )
}

const reading = (response: Response) => {
  const reader = response.body?.getReader()
  if (!reader) throw new Error('no body')
  return { next: async () => Buffer.from((await reader.read()).value ?? []).toString(), cancel: () => reader.cancel() }
}

it('a stream is passed on event by event, and charged by the usage in it', async ({ backend, gateway, key }) => {
  const reply = answering(backend)
  const asked = say(gateway, BY_USAGE, key, { stream: true })
  const answer = await reply
  answer.write(delta('Hello'))
  const response = await asked
  const { next } = reading(response)

  expect([response.status, await next()]).toEqual([200, delta('Hello')])
  answer.write(delta(' there'))
  expect([await next(), await gateway.ledger()]).toEqual([delta(' there'), []])
  answer.end(COMPLETED)
  expect(await next()).toBe(COMPLETED.slice(0, -1))
  expect(await next()).toBe('\n')

  expect(await gateway.ledger()).toMatchObject([
    { kind: 'settle', inputTokens: 40, outputTokens: 9, cost: 170_000, estimated: false },
  ])
})

it('the last byte of the last event waits until the usage is in the ledger', async ({
  backend,
  gateway,
  running,
  key,
}) => {
  const { holds } = running.store
  const settle = holds.settle.bind(holds)
  let settled = false
  let release: () => void = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  Object.assign(holds, {
    settle: async (...args: Parameters<typeof settle>) => {
      await released
      await settle(...args)
      settled = true
    },
  })
  const reply = answering(backend)
  const asked = say(gateway, BY_USAGE, key)
  ;(await reply).end(delta('Hello') + COMPLETED)
  const { next } = reading(await asked)

  expect([await next(), settled]).toEqual([`${delta('Hello')}${COMPLETED.slice(0, -1)}`, false])
  release()
  expect([await next(), settled]).toEqual(['\n', true])
})

it('a backend that sent its last event and does not end its response is waited for a second', async ({
  backend,
  gateway,
  key,
}) => {
  const reply = answering(backend)
  const asked = say(gateway, BY_USAGE, key)
  ;(await reply).write(COMPLETED)
  const response = await asked

  const text = await gateway.clock.during(response.text(), 10)

  expect(text).toBe(COMPLETED)
  await backend.until(() => backend.aborted === 1)
  expect(await gateway.ledger()).toMatchObject([{ inputTokens: 40, outputTokens: 9 }])
  expect((await gateway.logged(1))[0]).toMatchObject({ status: 200, interrupted: undefined })
})

it('a client that leaves pays for the deltas that came and a part of its prompt, and closes the backend', async ({
  backend,
  gateway,
  key,
}) => {
  const reply = answering(backend)
  const asked = say(gateway, BY_USAGE, key, { input: 'x'.repeat(789) })
  ;(await reply).write(delta('Hello') + delta(' there'))
  const { next, cancel } = reading(await asked)
  await next()

  await cancel()

  await gateway.clock.during(
    backend.until(() => backend.aborted === 1),
    100,
  )
  await gateway.logged(1)
  // The backend got 822 bytes: a token for each four of them.
  expect(await gateway.ledger()).toMatchObject([{ inputTokens: 206, outputTokens: 2, estimated: true }])
})

it('a backend that breaks off breaks the answer, and what came is charged', async ({ backend, gateway, key }) => {
  const reply = answering(backend)
  const asked = say(gateway, BY_USAGE, key)
  const answer = await reply
  answer.write(event({ type: 'message_start', message: { usage: { input_tokens: 30, output_tokens: 1 } } }))
  const response = await asked
  const { next } = reading(response)
  await next()
  answer.write(event({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hello' } }))
  await next()
  answer.destroy()

  await expect(next()).rejects.toThrow()
  await gateway.logged(1)
  expect(await gateway.ledger()).toMatchObject([{ inputTokens: 30, outputTokens: 1, estimated: true }])
})

it('a stream that says nothing of its usage is charged by what it said, within what was held', async ({
  backend,
  gateway,
  key,
}) => {
  const reply = answering(backend)
  const asked = say(gateway, BY_USAGE, key)
  ;(await reply).end(delta('Hello') + delta(' there'))

  expect(await (await asked).text()).toBe(delta('Hello') + delta(' there'))
  expect(await gateway.ledger()).toMatchObject([{ inputTokens: 2000, outputTokens: 4, estimated: true }])
})

it('a gateway that dies in the middle charges what came', async ({ backend, gateway, running, key }) => {
  const reply = answering(backend)
  const asked = say(gateway, BY_USAGE, key, { input: 'x'.repeat(789) })
  ;(await reply).write(delta('Hello'))
  const { next } = reading(await asked)
  await next()
  const { holds } = running.store
  const kept = new Promise<unknown>(resolve => {
    const heartbeat = holds.heartbeat.bind(holds)
    Object.assign(holds, {
      heartbeat: async (beats: Parameters<typeof heartbeat>[0]) => {
        await heartbeat(beats)
        resolve(beats[0]?.soFar?.bill)
      },
    })
  })

  gateway.clock.advance(10_000)

  expect(await kept).toMatchObject({ inputTokens: 206, outputTokens: 1 })
  ;(await reply).end(COMPLETED)
  await gateway.logged(1)
})

it('a stream that is paid by the second is passed on event by event as well', async ({ backend, gateway, key }) => {
  const reply = answering(backend)
  const asked = say(gateway, BY_SECOND, key)
  const answer = await reply
  answer.write(delta('Hello'))
  const { next } = reading(await asked)

  expect(await next()).toBe(delta('Hello'))
  gateway.clock.advance(3000)
  answer.end(COMPLETED)
  while ((await next()) !== '');
  expect(await gateway.ledger()).toMatchObject([{ cost: 3_000_000, inputTokens: 0 }])
})

it('events in an encoding are no events: all of the answer is a fault of its backend', async ({
  backend,
  gateway,
  key,
}) => {
  backend.on((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end('x')
  })

  expect((await say(gateway, BY_USAGE, key)).status).toBe(503)
  expect((await gateway.logged(1))[0]).toMatchObject({ failures: [{ cause: 'encoded answer' }] })
})
