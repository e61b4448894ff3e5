import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { times } from '../../support/times.ts'
import { changesOf, edit, shipped, sideOf, told } from './edited.ts'
import { meaningless, seeds } from './seeds.ts'

let read: ReturnType<typeof sideOf> | undefined
/** Read once: the files are not looked at again. */
const base = () => {
  read ??= sideOf(shipped)
  return read
}

describe('a changed policy is told as what it means, and as nothing else', () => {
  test.each(seeds)('$says', ({ edits, says }) => {
    expect(told(changesOf(base(), sideOf(edit(edits))))).toEqual(says)
  })

  test.each(meaningless)('nothing is said of $name', ({ edits }) => {
    expect(told(changesOf(base(), sideOf(edit(edits))))).toEqual([])
  })
})

test('a limit that is raised, lowered, gone or new is told at its row, whatever the order of the rows', () => {
  const before = withRows(
    '{ tokens: 2M, per: day, model: svc-ultra-pro }',
    '{ usd: 5, per: day, of: key }',
    '{ requests: 5, per: second }',
    '{ images: 50, per: 30d, of: org }',
  )
  const after = withRows(
    '{ images: 50, per: 30d, of: org }',
    '{ tokens: 3M, per: day, model: svc-ultra-pro }',
    '{ usd: 4, per: day, of: key }',
    '{ usd: 4, per: week, of: key }',
  )

  expect(told(changesOf(before, after))).toEqual([
    'less policies/plans.yaml:32 plan team: usd per day of key 5.00 → 4.00',
    'less policies/plans.yaml:33 plan team: usd per week of key unlimited → 4.00',
    'more policies/plans.yaml:31 plan team: tokens per day for svc-ultra-pro 2M → 3M',
    'more policies/plans.yaml:29 plan team: requests per second 5 → unlimited',
  ])
})

test('limits that begin without what was used before say so', () => {
  const before = withRows('{ requests: 5, per: second }')
  const after = withRows(
    '{ requests: 5, per: second }',
    '{ images: 50, per: day }',
    '{ tokens: 9k, per: hour, of: user }',
    '{ usd: 4, per: hour, of: org }',
    '{ concurrent: 9, of: key }',
  )

  expect(told(changesOf(before, after)).map(text => text.replace(/^\S+ \S+ /, ''))).toEqual([
    'plan team: images per day unlimited → 50, counted from now on: the ledger has no images',
    'plan team: tokens per hour of user unlimited → 9k, counted from now on: the ledger has no users of requests',
    'plan team: usd per hour of org unlimited → 4.00',
    'plan team: concurrent of key unlimited → 9, not counting those already running',
  ])
})

/** With limits of a plan beside its fields. */
const withRows = (...rows: readonly string[]) =>
  sideOf(
    edit([
      [
        'policies/plans.yaml',
        '    rpm: 600\n',
        `    limits:\n${rows.map(row => `      - ${row}\n`).join('')}    rpm: 600\n`,
      ],
    ]),
  )

/** Puts the keys of every map in another order. */
function shuffled(data: unknown, rank: (key: string) => number): unknown {
  if (Array.isArray(data)) return data.map(each => shuffled(each, rank))
  if (typeof data !== 'object' || data === null) return data
  const entries = Object.entries(data).map(([key, value]) => [key, shuffled(value, rank)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => rank(a) - rank(b)))
}

test('no order of maps makes a difference', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 97, maxLength: 97 }), ranks => {
      const rank = (key: string) => ranks[[...key].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 97, 0)] ?? 0
      const files = Object.entries(shipped).map(
        ([name, text]) => [name, stringify(shuffled(parse(text), rank))] as const,
      )
      expect(told(changesOf(base(), sideOf(Object.fromEntries(files))))).toEqual([])
    }),
    { numRuns: times(40) },
  )
})

test('a configuration does not differ from itself, and two differ both ways or not at all', () => {
  const sides = [base(), ...seeds.slice(0, 20).map(({ edits }) => sideOf(edit(edits)))]
  fc.assert(
    fc.property(fc.constantFrom(...sides), fc.constantFrom(...sides), (a, b) => {
      expect(changesOf(a, a)).toEqual([])
      expect(changesOf(a, b).length > 0).toBe(changesOf(b, a).length > 0)
    }),
    { numRuns: times(300) },
  )
})

describe('secrets', () => {
  const keyed = (key: string) => sideOf(shipped, { CLOUD_KEY: key })

  test('are told to have changed, and never told', () => {
    const changes = changesOf(keyed('the-old-secret'), keyed('the-new-secret'))

    expect(told(changes)).toEqual([
      'plumbing policies/pools.yaml:26 the key of pool cloud-core changed',
      'plumbing policies/pools.yaml:35 the key of pool cloud-pro changed',
    ])
    expect(JSON.stringify(changes)).not.toContain('secret')
  })

  test('differ from nothing where one is not known', () => {
    expect(changesOf(keyed('unknown-value'), keyed('the-new-secret'))).toEqual([])
  })

  test('of guests take keys along only when they are gone', () => {
    const long = (sign: string) => sign.repeat(40)
    const env = { CLOUD_KEY: 'not-a-key', OLD: long('o'), NEW: long('n') }
    const guests = (...fields: string[]) => {
      const put = fields.map(field => `  ${field}\n`).join('')
      return sideOf(edit([['config.example.yaml', '  # secret:', `${put}  # secret:`]]), env)
    }
    const [old, both, young] = [
      guests(`secret: \${OLD}`),
      guests(`secret: \${NEW}`, `former_secret: \${OLD}`),
      guests(`secret: \${NEW}`),
    ]

    expect(told(changesOf(old, both))).toEqual(['plumbing config.example.yaml:29 new guest keys use another secret'])
    expect(told(changesOf(both, young))).toEqual([
      'lost config.example.yaml:29 devices with keys from the removed secret can no longer ask for them again',
    ])
  })

  test('of a Redis are other ways to the same store, which need no restart', () => {
    const env = { CLOUD_KEY: 'not-a-key', OLD: 'one', NEW: 'two', SVC_GUEST_SECRET: 'g'.repeat(32) }
    const redis = (...fields: string[]) =>
      sideOf(
        edit([
          [
            'config.example.yaml',
            `store: \${STORE:-embedded:./data}`,
            `redis: { ${fields.join(', ')} }\nstore: rediss://host`,
          ],
        ]),
        env,
      )
    const before = redis(`password: "\${OLD}"`, `ca: "\${OLD}"`)
    const after = redis(`password: "\${NEW}"`, `ca: "\${NEW}"`, `certificate: "\${NEW}"`, `key: "\${NEW}"`)

    expect(told(changesOf(before, after))).toEqual([
      'plumbing config.example.yaml:31 the user or password of the store changed',
      'plumbing config.example.yaml:31 the authority of the certificate of Redis changed',
      'plumbing config.example.yaml:31 the certificate for Redis is new',
    ])
    expect(told(changesOf(redis('answer_timeout: 1s'), redis('answer_timeout: 2500ms')))).toEqual([
      'plumbing config.example.yaml:31 redis.answer_timeout 1s → 2500ms (needs a restart)',
    ])
  })

  test('of responses take what they encrypted along only when they are gone', () => {
    const env = { CLOUD_KEY: 'not-a-key', OLD: '0'.repeat(64), NEW: 'n'.repeat(43) }
    const responses = (...fields: string[]) =>
      sideOf(edit([['config.example.yaml', 'store:', `responses: { keep: 24h, ${fields.join(', ')} }\nstore:`]]), env)
    const [old, both, young] = [
      responses(`key: "\${OLD}"`),
      responses(`key: "\${NEW}"`, `former_key: "\${OLD}"`),
      responses(`key: "\${NEW}"`),
    ]

    expect(told(changesOf(sideOf(shipped, env), old))).toEqual([
      'more config.example.yaml:31 responses are kept: what clients send to and receive from /v1/responses, encrypted',
    ])
    expect(told(changesOf(old, both))).toEqual([
      expect.stringMatching(/^plumbing \S+ new responses are encrypted with another key$/),
    ])
    expect(told(changesOf(both, young))).toEqual([
      expect.stringMatching(/^lost \S+ responses encrypted with the removed key can no longer be read$/),
    ])
  })
})

test.each([
  ['weight: 4', '', 'less', 'weight 4 → 1'],
  ['', 'weight: 4', 'more', 'weight 1 → 4'],
  ['priority: 2', '', 'less', 'priority 2 → 1, and 0 for guests'],
  ['', 'priority: 0', 'less', 'priority 1, and 0 for guests → 0'],
  ['', 'priority: 2', 'more', 'priority 1, and 0 for guests → 2'],
])('a place in queues that changes from `%s` to `%s` is %s for clients', (from, to, effect, text) => {
  const withField = (field: string) =>
    sideOf(edit([['policies/plans.yaml', '    rpm: 600\n', `    rpm: 600\n${field && `    ${field}\n`}`]]))
  const [change] = changesOf(withField(from), withField(to))
  expect(change).toMatchObject({ effect, text: `plan team: ${text}` })
})

/** The shipped files with a field of plans that accounts and that guests are on. */
const onPlan = (name: 'team' | 'guest-device', field: string) => {
  const line = name === 'team' ? '    rpm: 600\n' : '    rpm: 10\n'
  return sideOf(edit([['policies/plans.yaml', line, `${line}${field && `    ${field}\n`}`]]))
}

test.each([
  ['team', 'weight: 1', []],
  ['team', 'priority: 1', []],
  ['team', 'priority: 0', ['less', 'more']],
  ['team', 'commit: first_content', []],
  ['team', 'commit: complete', ['other', 'other']],
  ['guest-device', 'weight: 1', []],
  // Accounts may be on the plan of guests, with another default.
  ['guest-device', 'priority: 0', ['less', 'more']],
  ['guest-device', 'priority: 1', ['more', 'less']],
] as const)('on plan %s, `%s` changes what its default does not say, written and left out', (plan, field, effects) => {
  const [without, written] = [onPlan(plan, ''), onPlan(plan, field)]
  const changes = [...changesOf(without, written), ...changesOf(written, without)]
  expect(changes.map(({ effect }) => effect)).toEqual(effects)
})
