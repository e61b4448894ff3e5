import { describe, expect, it } from 'vitest'
import { hasStandIn, lacking, loadWithStandIns } from '../../src/config/stand-ins.ts'
import { directoryOf } from '../config/files.ts'
import { root } from '../simulate/example.ts'

const yaml = (key: string, replica: string, rpm = '10') => `version: 1
plans: { pro: { models: all, rpm: "${rpm}", tpm: 40k, monthly_usd: 1 } }
models: { m: { kind: chat, tier: t, serve: [p], context: 32k, usd_per_1m: { input: 1, output: 1 } } }
default_model: m
pools:
  p:
    site: here
    model: x
    key: ${key}
    replicas: ["${replica}"]
`
const variable = (name: string) => `\${${name}}`
const load = (text: string, env = {}) => loadWithStandIns('config.yaml', env, directoryOf({ 'config.yaml': text }))

describe('a configuration whose variables are not set', () => {
  it('is read where they are keys, addresses or parts of addresses', () => {
    for (const replica of [variable('URL_OF_IT'), `http://${variable('HOST_OF_IT')}:8000/v1`]) {
      expect(load(yaml(variable('KEY_OF_IT'), replica)).ok).toBe(true)
    }
    expect(loadWithStandIns('config.example.yaml', {}, root).ok).toBe(true)
  })

  it('keeps those that are set, and defaults', () => {
    const read = load(yaml(variable('KEY_OF_IT'), variable('URL_OF_IT:-http://10.0.0.1/v1')))
    const set = load(yaml(variable('KEY_OF_IT'), variable('URL_OF_IT')), { URL_OF_IT: 'http://10.0.0.2/v1' })

    expect(read.ok && read.loaded.config.pools.get('p')?.replicas).toEqual(['http://10.0.0.1/v1'])
    expect(set.ok && set.loaded.config.pools.get('p')?.replicas).toEqual(['http://10.0.0.2/v1'])
  })

  it('is read where keys of a form are not known, each of its own', () => {
    const keys = `responses: { keep: 1h, key: "${variable('RESPONSES_KEY')}", former_key: "file:keys/former" }\n`
    const read = load(yaml(variable('KEY_OF_IT'), 'http://10.0.0.1/v1') + keys)

    const [key, former] = (read.ok && read.loaded.settings.responses?.keys) || []
    expect([key, former].map(each => hasStandIn(each?.reveal() ?? ''))).toEqual([true, true])
    expect(key?.reveal()).not.toBe(former?.reveal())
  })

  it('is told as such, and no stand-in, where none fits', () => {
    const read = load(yaml(variable('KEY_OF_IT'), 'http://10.0.0.1/v1', variable('RPM_OF_IT')), { KEY_OF_IT: 'k' })

    expect(read.ok).toBe(false)
    expect(JSON.stringify(read)).toContain('RPM_OF_IT is not set')
    expect(JSON.stringify(read)).not.toContain('unset-variable')
  })

  it('has its other mistakes told, and nothing else', () => {
    const read = load(yaml(variable('KEY_OF_IT'), variable('URL_OF_IT')).replace('rpm', 'rmp'))

    const problems = read.ok ? [] : read.problems.map(({ rule, line }) => [rule, line])
    expect(problems).toEqual([
      ['missing-field', 2],
      ['unknown-field', 2],
    ])
  })

  it('is read where files of secrets are not there, and those that are there are kept', () => {
    const guests = yaml('file:keys/pool', 'http://10.0.0.1/v1')
      .replace('pro: { models: all,', 'pro: { models: [tier:guest], per_day: 9,')
      .replace('tier: t,', 'tier: guest,')
      .concat('guests: { plan: pro, usd_per_day_total: 1, secret: "file:keys/new", former_secret: "file:keys/old" }\n')
    const keyIn = (files: Readonly<Record<string, string>>) => {
      const read = loadWithStandIns('config.yaml', {}, directoryOf({ 'config.yaml': guests, ...files }))
      if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'))
      return read.loaded.settings.backends.get('p')?.key?.reveal()
    }

    expect(keyIn({})).toMatch(/^unset-variable/)
    expect(keyIn({ 'keys/pool': 'sk-real' })).toBe('sk-real')
    expect(lacking('config.yaml', {}, directoryOf({ 'config.yaml': guests }))).toEqual([
      '`keys/pool` cannot be read',
      '`keys/new` cannot be read',
      '`keys/old` cannot be read',
    ])
  })
})
