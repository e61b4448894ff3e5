import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { talk } from '../../support/raw.ts'
import { say, startPassing } from './fixture.ts'
import { vectorsFor } from './vectors.ts'

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  test = await startPassing({ onprem: [backend] })
  key = await test.key('pro')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

const names = vectorsFor('KEY', 'backend').map(({ name }) => name)

it('there are forty of them at least, each with a name of its own', () => {
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(90)
})

it.each(names.map((name, index) => [name.slice(0, 60), index] as const))('%s reaches no backend', async (_, index) => {
  const vector = vectorsFor(key, new URL(backend.url).host)[index]
  const connections = backend.accepted

  const { answers, rest } = await talk(test.gateway.listen.port, {
    bytes: vector?.bytes ?? '',
    onData: () => test.clock.advance(1000),
  })

  expect(answers.map(({ status }) => status)).toEqual([
    expect.toSatisfy(status => (status >= 400 && status < 500) || status === 204),
  ])
  expect(rest).toBe('')
  expect([backend.requests, backend.probes, backend.accepted]).toEqual([[], [], connections])
  expect(await test.ledger()).toEqual([])
})

it('without any of that the same request reaches one', async () => {
  expect((await say(test, '/v1/audio/speech', key)).status).toBe(200)
  expect(backend.requests).toHaveLength(1)
})
