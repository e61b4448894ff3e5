import { describe, expect } from 'vitest'
import { gatewayTest } from '../../support/gateway-test.ts'

const caps = ({ max_tokens, max_completion_tokens }: Readonly<Record<string, unknown>>) => ({
  max_tokens,
  max_completion_tokens,
})

const ASKED: readonly (readonly [string, object])[] = [
  ['neither name', {}],
  ['max_tokens', { max_tokens: 7 }],
  ['max_completion_tokens', { max_completion_tokens: 7 }],
  ['both names', { max_tokens: 7, max_completion_tokens: 7 }],
  ['an empty tool call beside it', { max_completion_tokens: 7, tools: [] }],
]

describe.each(['both', 'max_tokens', 'max_completion_tokens'])('a pool with `cap: %s`', cap => {
  const it = gatewayTest.extend('config', { fields: { onprem: `cap: ${cap}` } })

  it.for(ASKED)(
    'is told the granted cap by that alone, where the client wrote %s',
    async ([, asked], { backend, gateway, key }) => {
      await (await gateway.chat(key, asked)).text()

      const granted = 'max_tokens' in asked || 'max_completion_tokens' in asked ? 7 : 4000
      expect(caps(backend.requests[0]?.body ?? {})).toEqual({
        max_tokens: cap === 'max_completion_tokens' ? undefined : granted,
        max_completion_tokens: cap === 'max_tokens' ? undefined : granted,
      })
    },
  )
})

gatewayTest('a backend of one’s own is told the cap by both names', async ({ backend, gateway, key }) => {
  await (await gateway.chat(key, { max_completion_tokens: 7 })).text()

  expect(caps(backend.requests[0]?.body ?? {})).toEqual({ max_tokens: 7, max_completion_tokens: 7 })
})
