import { expect, it, onTestFinished } from 'vitest'
import { MOST_NEW, recordedLabels } from '../../../src/gateway/admission/label-cap.ts'
import type { Config } from '../../../src/policy/config.ts'
import type { Caller } from '../../../src/policy/facts.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'
import { clockAt, NOON } from '../../adapters/store/fixtures.ts'

const DECLARED = {
  ofKey: false,
  requiredBy: new Set<string>(),
  at: { file: 'svc.yaml', line: 1, column: 1 },
  fields: {},
}

it('a guest keeps the values of a label that the files list, and all others are `other` and not in the store', async () => {
  const store = await openHere(await newDirectory(), clockAt(NOON).now)
  onTestFinished(() => store.close())
  const labels: Config['labels'] = new Map([
    ['project', { ...DECLARED, name: 'project', values: ['web'] }],
    ['team', { ...DECLARED, name: 'team' }],
  ])
  const recorded = (kind: 'guest' | 'developer', account: string) =>
    recordedLabels({ labels }, store.labels, {
      caller: { account, kind },
      labels: { project: 'web', team: 'core' },
      at: NOON,
    })

  expect(await recorded('guest', 'dev_phone')).toEqual({ project: 'web', team: 'other' })
  expect(await recorded('developer', 'acct_ada')).toEqual({ project: 'web', team: 'core' })
  // There is room for one where nothing is kept yet.
  expect(await store.labels.take({ account: 'dev_phone', label: 'team', value: 'late', most: 1 })).toBeUndefined()
  expect(await store.labels.take({ account: 'acct_ada', label: 'team', value: 'late', most: 1 })).toEqual(['core'])
})

it('a key adds at most 60 values a minute, and others count as `other` until the next one; values that there are keep their names', async () => {
  const store = await openHere(await newDirectory(), clockAt(NOON).now)
  onTestFinished(() => store.close())
  const labels: Config['labels'] = new Map([['team', { ...DECLARED, name: 'team' }]])
  const recorded = async (value: string, id: string, at = NOON) => {
    const caller = { account: 'acct_ada', kind: 'developer' as const, key: { id } as NonNullable<Caller['key']> }
    return (await recordedLabels({ labels }, store.labels, { caller, labels: { team: value }, at })).team
  }
  // Another gateway added this one.
  await store.labels.take({ account: 'acct_ada', label: 'team', value: 'there' })

  const sent = Array.from({ length: MOST_NEW + 5 }, (_, number) => `v-${number}`)
  const first = await Promise.all(sent.map(value => recorded(value, 'key_a')))
  expect(first).toEqual([...sent.slice(0, MOST_NEW), ...Array(5).fill('other')])
  expect(await recorded('there', 'key_a')).toBe('there')
  expect(await recorded('v-3', 'key_a')).toBe('v-3')
  expect(await recorded('of-b', 'key_b')).toBe('of-b')
  expect(await recorded('later', 'key_a')).toBe('other')
  expect(await recorded('later', 'key_a', NOON + 60_000)).toBe('later')
  const all = await store.labels.take({ account: 'acct_ada', label: 'team', value: 'none', most: 0 })
  expect(all).toHaveLength(MOST_NEW + 3)
})
