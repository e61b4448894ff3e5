import { describe, expect } from 'vitest'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { BOTH } from './fixture.ts'

describe('what a provider would ask more for, where no pool speaks its dialect,', () => {
  const dearer = { service_tier: 'priority', inference_geo: 'us', speed: 'fast' }
  const ask = ({ url }: TestGateway, key: string) =>
    fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ ...BOTH[0].body('svc-core'), ...dearer }),
    })

  gatewayTest('is left out, and the answer names it', async ({ backend, gateway, key }) => {
    const response = await ask(gateway, key)

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-ignored-fields')?.split(', ').sort()).toEqual(Object.keys(dearer).sort())
    expect(backend.requests[0]?.rawBody).not.toMatch(/service_tier|inference_geo|speed/)
  })

  const strict = gatewayTest.extend('config', { fields: { core: 'lossy: refuse' } })
  strict('is refused by a model that refuses losses, which names it', async ({ backend, gateway, key }) => {
    const response = await ask(gateway, key)

    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(/service_tier.*cannot be used with svc-core|cannot be used.*service_tier/)
    expect(backend.requests).toEqual([])
  })
})
