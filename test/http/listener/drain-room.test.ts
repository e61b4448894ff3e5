import { expect, it, onTestFinished } from 'vitest'
import { hang, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestGateway } from '../../support/gateway.ts'

it('a request that waits for room in a pool hears that the gateway shuts down, and costs nothing', async () => {
  const backend = await startBackend()
  let test = await startTestGateway({
    onprem: [backend],
    fields: { onprem: 'max_concurrent: 1, queue_timeout: 60s' },
  })
  onTestFinished(async () => {
    await test.close()
    await backend.close()
  })
  const key = await test.key('pro')
  backend.always(hang)
  const asked = [test.chat(key), test.chat(key)]
  await eventually(() => expect(test.gateway.app.pools.of('onprem').slots.waiting).toBe(1))
  await backend.received(1)
  const left = test.gateway.drain()

  test.gateway.cut()

  const answers = await Promise.all(asked)
  expect(answers.map(({ status, headers }) => `${status} ${headers.get('x-svc-error-code')}`)).toEqual([
    '503 DRAINING',
    '503 DRAINING',
  ])
  expect(await left).toBe(true)
  test = await test.restart()
  expect(await test.ledger()).toEqual([])
})
