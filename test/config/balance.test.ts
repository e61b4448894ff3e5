import { describe, expect, it } from 'vitest'
import { loadFiles, loadGood, problemsOf, small } from './files.ts'

const pool = (fields: string, replicas = '[http://127.0.0.1:1/v1, http://127.0.0.1:2/v1]') =>
  small.replace(/\{[^{}]*site[^}]*\}/, `{ ${fields}${fields && ', '}site: here, model: m, replicas: ${replicas} }`)

const ONE = '[http://127.0.0.1:1/v1]'
const near = (fields: string, replicas?: string) => loadGood(pool(fields, replicas)).config.pools.get('near')

describe('the balance of a pool', () => {
  it.each([
    ['prefix with several replicas', '', undefined, 'prefix'],
    ['busy with one', '', ONE, 'busy'],
    ['busy where it says so', 'balance: busy', undefined, 'busy'],
    ['session where it says so', 'balance: session', undefined, 'session'],
  ])('is %s', (_what, fields, replicas, balance) => {
    expect(near(fields, replicas)?.balance).toBe(balance)
  })
})

describe('caches of a pool', () => {
  it('belong to accounts, unless it says otherwise', () => {
    expect(near('')?.caches).toBe('account')
    expect(near('caches: pool')?.caches).toBe('pool')
  })

  it.each(['account', 'org'])('are refused as those of an %s where the backends take no salt', caches => {
    expect(problemsOf(loadFiles({ 'config.yaml': pool(`caches: ${caches}`) })).map(({ rule }) => rule)).toEqual([
      'needs-cache-salt',
    ])
  })

  it.each(['provider: vllm', 'provider: sglang', 'provider: { cache_salt: true }'])('are apart with %s', provider => {
    for (const caches of ['account', 'org'])
      expect(near(`${provider}, caches: ${caches}`)?.provider.facts.cacheSalt).toBe(true)
  })
})

describe('spill of a pool', () => {
  const SPILL = 'load: { from: vllm }, spill: { waiting_over: 8 }'
  const OTHER =
    '  other: { kind: chat, tier: guest, serve: [near, far], context: 32k, usd_per_1m: { input: 0.10, output: 0.40 } }'
  const FAR = '  far: { site: cloud, model: m, replicas: [http://127.0.0.1:3/v1] }'
  const found = (yaml: string) => problemsOf(loadFiles({ 'config.yaml': yaml })).map(({ rule, hint }) => [rule, hint])

  it('is warned of where no model has a pool behind it', () => {
    expect(found(pool(SPILL, ONE))).toEqual([['spills-nowhere', 'add a pool behind it, or remove `spill`']])
    expect(found(pool(SPILL))[0]?.[1]).toContain('it only makes requests pass over a replica that is behind')
  })

  it('is fine where one model has, though another has not', () => {
    const served = pool(SPILL).replace('default_model', `${OTHER}\ndefault_model`)
    expect(found(`${served}${FAR}\n`)).toEqual([])
  })
})
