import { expect, it } from 'vitest'
import { hang, startBackend } from '../../support/backend.ts'
import { startTestGateway } from '../../support/gateway.ts'

it('a request that waits for room in a pool is told that the gateway leaves, and costs nothing', async () => {
  const backend = await startBackend()
  const test = await startTestGateway({ onprem: [backend] })
  const capped = await test.reload({}, yaml =>
    yaml.replace('{ site: on-premises,', '{ site: on-premises, max_concurrent: 1, queue_timeout: 60s,'),
  )
  expect(capped).toMatchObject({ ok: true })
  const key = await test.key('pro')
  backend.always(hang)
  const asked = [test.chat(key), test.chat(key)]
  await backend.received(1)
  await new Promise(resolve => setTimeout(resolve, 200))
  const left = test.gateway.drain()
  const at = Date.now()
  test.gateway.cut()

  const told = await Promise.all(asked)
  expect(told.map(({ status, headers }) => `${status} ${headers.get('x-svc-error-code')}`)).toEqual(
    Array(2).fill('503 DRAINING'),
  )
  expect(await left).toBe(true)
  console.log('took', Date.now() - at)
  expect(await (await test.restart()).ledger()).toEqual([])
  await backend.close()
})
