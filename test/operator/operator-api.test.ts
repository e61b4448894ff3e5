import { afterEach, expect, test, vi } from 'vitest'
import { osUser, userAt } from '../../src/operator/api.ts'

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['ada', 'laptop', 'ada@laptop'],
  ['CORP\\ada', 'pc-7.example.com', 'CORP\\ada@pc-7.example.com'],
  ['ada lovelace', 'laptop', 'ada_lovelace@laptop'],
  ['jürgen', 'büro', 'j_rgen@b_ro'],
  ['-ada', 'laptop', '_-ada@laptop'],
  ['a'.repeat(80), 'laptop', 'a'.repeat(64)],
])('user %j of %j is sent as %j, which gateways take', (user, host, sent) => {
  expect(userAt(user, host)).toBe(sent)
})

test('SVCCTL_USER is sent as it is, and one that no gateway takes is wrong usage', () => {
  vi.stubEnv('SVCCTL_USER', 'ci/deploy-42')
  expect(osUser()).toBe('ci/deploy-42')
  vi.stubEnv('SVCCTL_USER', 'ada lovelace')
  expect(osUser).toThrow('✗ SVCCTL_USER must be 1 to 64 visible ASCII characters')
})
