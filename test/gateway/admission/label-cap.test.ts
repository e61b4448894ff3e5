import { expect, it, onTestFinished } from 'vitest'
import { recordedLabels } from '../../../src/gateway/admission/label-cap.ts'
import type { Config } from '../../../src/policy/config.ts'
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
    })

  expect(await recorded('guest', 'dev_phone')).toEqual({ project: 'web', team: 'other' })
  expect(await recorded('developer', 'acct_ada')).toEqual({ project: 'web', team: 'core' })
  // There is room for one where nothing is kept yet.
  expect(await store.labels.take({ account: 'dev_phone', label: 'team', value: 'late', most: 1 })).toBeUndefined()
  expect(await store.labels.take({ account: 'acct_ada', label: 'team', value: 'late', most: 1 })).toEqual(['core'])
})
