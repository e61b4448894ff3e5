import { expect, it } from 'vitest'
import { loadGood, small } from '../config/files.ts'
import { ran, read } from './example.ts'

const loaded = (balance = 'prefix') =>
  loadGood(
    small.replace(
      'replicas: [http://10.0.0.11:8000/v1]',
      `balance: ${balance}, replicas: [http://a:8000/v1, http://b:8000/v1, http://c:8000/v1]`,
    ),
  )

const testOf = (given: string, expected: string) =>
  `given: { plan: free }\ncases:\n  - name: a\n    chat_tokens: 8000\n    pools: { near: { replicas: [${given}] } }\n    expect: ${expected}\n`

async function mismatchesIn(given: string, expected: string, balance?: string) {
  const { results } = await ran(testOf(given, expected), loaded(balance))
  return results.flatMap(({ mismatches }) => mismatches)
}

it.each([
  ['{}, { cached: 7k }, {}', '{ balance: prefix, replica: 2 }'],
  ['{}, {}, { cached: 7k }', '{ balance: prefix, replica: http://c:8000/v1 }'],
  // The work owed before it costs more than the prompt.
  ['{}, { cached: 7k, owed: 20k }, { cached: 6k, running: 1 }', '{ served_by: near, replica: 3 }'],
  ['{ running: 9, held: 90k }, { running: 9, held: 90k }, {}', '{ replica: 3 }'],
  ['{ cached: 1M }', '{ replica: /^http:.*a:8000/ }'],
])('replicas that have %s are chosen as %s expects', async (given, expected) => {
  expect(await mismatchesIn(given, expected)).toEqual([])
})

it('a case fails where another replica is chosen, with the one that is', async () => {
  expect(await mismatchesIn('{}, { cached: 7k }, {}', '{ replica: 1 }')).toEqual([
    { path: 'replica', expected: 1, got: 2 },
  ])
  expect(await mismatchesIn('{}, { cached: 7k }, {}', '{ balance: session }')).toEqual([
    { path: 'balance', expected: 'session', got: 'prefix' },
  ])
})

it('no replica is expected in vain where chance decides', async () => {
  expect(await mismatchesIn('{}', '{ balance: busy, replica: none }', 'busy')).toEqual([])
  expect(await mismatchesIn('{}', '{ replica: 1 }', 'busy')).toMatchObject([{ path: 'replica' }])
})

it.each([
  ['{}', '{ balance: prefx }', '6:24 unknown-balance: no such balance `prefx`'],
  ['{}', '{ replica: 4 }', '6:24 unknown-replica: no pool has a replica 4'],
  ['{}', '{ replica: 1.5 }', '6:24 unknown-replica: no pool has a replica 1.5'],
  [
    '{}',
    '{ served_by: near, replica: http://d:8000/v1 }',
    '6:41 unknown-replica: pool `near` has no replica `http://d:8000/v1`',
  ],
  ['{}, {}, {}, { cached: 1 }', '{ status: 200 }', '5:45 unknown-replica: pool `near` has 3 replicas, and 4 are given'],
  ['{ cahced: 1 }', '{ status: 200 }', '5:35 unknown-field: unknown field `cahced`'],
])('given %s, %s is refused at its place', (given, expected, problem) => {
  const { problems } = read(testOf(given, expected), loaded())
  expect(problems.map(({ line, column, rule, message }) => `${line}:${column} ${rule}: ${message}`)).toEqual([problem])
})
