import { describe, expect, it } from 'vitest'
import { load } from '../../src/config/load.ts'
import { directoryOf, small } from './files.ts'

const TOKEN = 'a-token-of-24-characters'
const VARIABLE = `"\${TOKEN}"`

const loaded = (token: string, env = {}) => {
  const yaml = `${small}server: { admin_token: ${token} }\n`
  const files = { token: `${TOKEN}\n`, empty: '\n', short: 'short', words: 'two words of a token' }
  return load('config.yaml', env, directoryOf({ 'config.yaml': yaml, ...files }))
}

describe('server.admin_token', () => {
  it.each([
    ['file:token', {}],
    [VARIABLE, { TOKEN }],
  ])('is what %s refers to, and nothing that is printed', (written, env) => {
    const result = loaded(written, env)
    if (!result.ok) throw new Error(JSON.stringify(result.problems))
    expect(result.loaded.settings.server.adminToken?.reveal()).toBe(TOKEN)
    expect(JSON.stringify(result.loaded.settings)).not.toContain(TOKEN)
  })

  it.each([
    ['file:missing', 'no-secret-file'],
    ['file:empty', 'empty-secret'],
    ['file:short', 'short-secret'],
    ['file:words', 'bad-secret'],
    [VARIABLE, 'missing-env'],
    ['a-token-in-the-file', 'plain-secret'],
  ])('is refused as %s', (written, rule) => {
    const result = loaded(written)
    expect(result.ok ? [] : result.problems.map(problem => problem.rule)).toEqual([rule])
  })
})
