import { expect, test } from 'vitest'
import { read, readGood } from './example.ts'

const briefly = (text: string) =>
  read(text).problems.map(
    ({ line, column, rule, message, hint }) => `${line}:${column} ${rule}: ${message}${hint ? `; ${hint}` : ''}`,
  )

const cases = (...lines: string[]) => `cases:\n  - name: a\n${lines.map(line => `    ${line}\n`).join('')}`
const fine = 'expect: { status: 200 }'

test.each([
  ['an unknown section', 'case: []\n', '1:1 unknown-field: unknown field `case`; did you mean `cases`?'],
  [
    'an unknown field of a case',
    cases('modl: svc-pro', fine),
    '3:5 unknown-field: unknown field `modl`; did you mean `model`?',
  ],
  [
    'an unknown usage',
    cases('usage: { month: 1 }', fine),
    '3:14 unknown-field: unknown field `month`; known here: `minute`, `day`, `month_usd`, `reserved_usd`, `concurrent`, `guests_usd`, `limits`',
  ],
  [
    'what was reserved, by its old name',
    cases('usage: { held_usd: 1 }', fine),
    '3:14 unknown-field: unknown field `held_usd`; it is called `reserved_usd`',
  ],
  [
    'running requests, by their old name',
    cases('usage: { under_way: 1 }', fine),
    '3:14 unknown-field: unknown field `under_way`; it is called `concurrent`',
  ],
  [
    'a used limit that counts nothing',
    cases('usage: { limits: [{ per: day }] }', fine),
    '3:23 no-measure: an entry of `limits` counts nothing; add one of `requests`, `tokens`, `input_tokens`, `output_tokens`, `images`, `seconds`, `usd`, `concurrent`',
  ],
  [
    'a used limit that no plan has',
    cases('usage: { limits: [{ tokens: 1k, per: day, of: key }] }', fine),
    '3:23 unknown-limit: no plan limits tokens per day of key in its `limits`; none is declared',
  ],
  [
    'a used limit that has a field of its own',
    cases('usage: { limits: [{ requests: 3, per: day }] }', fine),
    '3:23 unknown-limit: no plan limits requests per day in its `limits`; that is `per_day`, which has its own field',
  ],
  [
    'an expected rule, which is a route',
    cases('expect: { rule: time-sensitive }'),
    '3:15 unknown-field: unknown field `rule`; it is called `route`',
  ],
  [
    'an expectation that no answer could meet',
    cases('expect: { statsu: absent }'),
    '3:15 unknown-field: unknown field `statsu`; did you mean `status`?',
  ],
  [
    'a field that belongs elsewhere',
    `requests: 3\n`,
    '1:1 unknown-field: unknown field `requests`; `requests` belongs under `given.usage.minute` or `given.usage.day` or `given.usage.limits[]`',
  ],
  [
    'a name that is missing',
    `cases:\n  - expect: { status: 200 }\n`,
    '2:5 missing-field: an entry of `cases` has no `name`; add `name`: The guarantee, as a sentence that can be false',
  ],
  [
    'a key that stands twice',
    cases('plan: free', 'plan: pro', fine),
    '4:5 duplicate-key: `plan` is written twice; the first is in line 3',
  ],
  ['an unknown plan', cases('plan: fre', fine), '3:11 unknown-plan: no such plan `fre`; did you mean `free`?'],
  [
    'an unknown pool',
    cases('pools: { onprem-cor: down }', fine),
    '3:14 unknown-pool: no such pool `onprem-cor`; did you mean `onprem-core`?',
  ],
  [
    'an unknown state of a pool',
    cases('pools: { onprem-core: donw }', fine),
    '3:27 bad-value: `donw` is not `up`, `down`, `failing`, or a map with the load of its replicas',
  ],
  [
    'an expected route that is none',
    cases('expect: { route: time-sensitiv }'),
    '3:22 unknown-route: no such route `time-sensitiv`; did you mean `time-sensitive`?',
  ],
  [
    'an expected model that is none',
    cases('expect: { model: svc-prro }'),
    '3:22 unknown-model: no such model `svc-prro`; did you mean `svc-pro`?',
  ],
  [
    'an expected pool that is none',
    cases('expect: { attempted: [onprem-cor] }'),
    '3:27 unknown-pool: no such pool `onprem-cor`; did you mean `onprem-core`?',
  ],
  [
    'an expectation without a value',
    cases('expect: { code: }'),
    '3:15 no-value: `code` has no value; give it one, or remove it',
  ],
  [
    'an expected field of the body without a value',
    cases('expect: { docs: }'),
    '3:15 no-value: `docs` has no value; give it one, or remove it',
  ],
  [
    'a regular expression that is none',
    cases('expect: { error: /(?=x)/ }'),
    '3:22 bad-pattern: `/(?=x)/` is not a regular expression that this gateway runs; invalid or unsupported Perl syntax; write one of RE2: no look-around and no back-references',
  ],
  [
    'a moment without a zone',
    cases('now: 2026-11-21T10:00:00', fine),
    '3:10 bad-moment: `2026-11-21T10:00:00` is not a moment; write 2026-11-21T10:00:00Z, or with an offset such as +01:00',
  ],
  [
    'a moment that there is not',
    cases('now: 2026-13-41T10:00:00Z', fine),
    '3:10 bad-moment: `2026-13-41T10:00:00Z` is not a moment; write 2026-11-21T10:00:00Z, or with an offset such as +01:00',
  ],
  [
    'a minute that is long over',
    cases('usage: { minute: { oldest: 61s ago } }', fine),
    '3:32 bad-age: `61s ago` is not a time within the last minute; write 40s ago; from 0s to 60s',
  ],
  [
    'an amount that is none',
    cases('usage: { month_usd: 1e-10 }', fine),
    '3:25 too-precise: `1e-10` has more than 9 decimals; round it to 9 decimals',
  ],
  [
    'two requests in one',
    cases('chat: a', 'input: b', fine),
    '4:5 two-requests: `input` is a second request; write one of `chat`, `chat_tokens`, `input`, `prompt` and `request`',
  ],
  [
    'a model beside a whole request',
    cases('model: svc-pro', 'request: { body: {} }', fine),
    '3:5 two-requests: `model` cannot be combined with `request`; write it in `request`',
  ],
  [
    'two callers',
    cases('plan: free', 'auth: none', fine),
    '4:5 two-callers: `plan` and `auth` exclude each other; write one of them',
  ],
  [
    'a name that stands twice',
    `${cases(fine)}${cases(fine).replace('cases:\n', '')}`,
    '4:5 duplicate-name: two cases are called `a`; rename one',
  ],
  [
    'a row that is too short',
    'matrix:\n  plans: [free, pro]\n  svc-core: [ok]\n',
    '3:3 row-length: `svc-core` has 1 cell for 2 plans; write one each',
  ],
  [
    'a cell that is neither',
    'matrix:\n  plans: [free]\n  svc-core: [yes]\n',
    '3:14 bad-value: `yes` is not `ok` or `no`',
  ],
  [
    'a row of an unknown model',
    'matrix:\n  plans: [free]\n  svc-cor: [ok]\n',
    '3:3 unknown-model: no such model `svc-cor`; did you mean `svc-core`?',
  ],
  [
    'an invariant without a claim',
    'invariants:\n  - name: a\n',
    '2:5 no-claim: an invariant has one of `never` and `always`; write one of them',
  ],
  [
    'an unknown claim',
    'invariants:\n  - never: { reach: svc-pro }\n',
    '2:14 unknown-field: unknown field `reach`; did you mean `reaches`?',
  ],
  [
    'a claim of an unknown site',
    'invariants:\n  - never: { site: clod }\n',
    '2:20 unknown-site: no such site `clod`; did you mean `cloud`?',
  ],
  [
    'a variable',
    cases('chat: $'.concat('{HOME}'), fine),
    '3:11 missing-env: HOME is not set; export it, or give a default: $'.concat('{HOME:-…}'),
  ],
])('%s is one problem at its place', (_, text, problem) => {
  expect(briefly(text)).toEqual([problem])
})

test('a tab, an empty file and a second document are problems as in the configuration', () => {
  expect(briefly('cases:\n\t- a\n')[0]).toContain('2:1 yaml-syntax: a tab indents this line')
  expect(briefly('')[0]).toContain('1:1 empty-file')
  expect(briefly(`${cases(fine)}---\na: b\n`)[0]).toContain('two-documents')
})

test('every mistake of a file is found at once', () => {
  const text = `given: { plan: fre }\n${cases('modl: a', 'pools: { onprem-cor: down }', fine)}`

  expect(briefly(text).map(each => each.split(':')[0])).toEqual(expect.arrayContaining(['1', '4', '5']))
})

test('a case overrides what is given, field by field', () => {
  const { cases } = readGood(`
given: { plan: free, chat: Hello, now: 2026-05-01T00:00:00Z, usage: { month_usd: 1 }, headers: { X-A: a } }
cases:
  - { name: as given, expect: { status: 200 } }
  - { name: another plan, plan: pro, usage: { day: { requests: 3 } }, expect: { status: 200 } }
  - { name: an embedding, model: svc-embed, expect: { status: 200 } }
  - { name: a stranger, auth: none, expect: { status: 401 } }
`)
  const [given, other, embedding, stranger] = cases.map(({ scenario }) => scenario)

  expect(given).toMatchObject({ at: Date.UTC(2026, 4, 1), usage: { month: 1e9, day: 0 }, headers: { 'x-a': 'a' } })
  expect(JSON.parse(`${given?.body}`)).toEqual({ messages: [{ role: 'user', content: 'Hello' }] })
  expect(other).toMatchObject({ who: { plan: { name: 'pro' } }, usage: { month: 0, day: 3 } })
  expect(embedding?.path).toBe('/v1/embeddings')
  expect(JSON.parse(`${embedding?.body}`)).toEqual({ model: 'svc-embed', input: 'Hello' })
  expect(stranger?.who).toEqual({ authorization: undefined })
})
