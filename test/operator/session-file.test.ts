import { expect, test, vi } from 'vitest'
import { configDir, readJsonFile, writePrivate } from '../../src/operator/session-file.ts'

// As Node does for a user id that no file of users knows.
vi.mock('node:os', () => ({
  homedir: () => {
    throw new Error('uv_os_homedir returned ENOENT')
  },
}))

test('a user without a home has no session, and is told that one cannot be kept', () => {
  vi.stubEnv('XDG_CONFIG_HOME', '')
  const file = `${configDir()}/session.json`

  expect(readJsonFile(file)).toBeUndefined()
  expect(() => writePrivate(`/dev/null${file}`, {})).toThrow('cannot be written')
})
