import { expect, it } from 'vitest'
import { isOwnFault, ofBreak } from '../../../src/gateway/upstream/outcome.ts'

const broken = (code: string) => ofBreak(Object.assign(new Error('connect'), { code }), { stale: false })

it.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])(
  '%s is a fault of the gateway, and of no replica',
  code => {
    expect(broken(code)).toEqual({ kind: 'failed', cause: code, blame: 'nobody', next: 'pool' })
    expect(isOwnFault(code)).toBe(true)
  },
)

it.each(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND'])('%s is none', code => {
  expect(broken(code)).not.toMatchObject({ blame: 'nobody' })
  expect(isOwnFault(code)).toBe(false)
})
