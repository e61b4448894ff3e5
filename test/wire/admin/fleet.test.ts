import { expect, it } from 'vitest'
import { driftOf, driftText, type Member } from '../../../src/wire/admin/fleet.ts'

const member = (name: string, revision: string, sections?: Member['sections']) => ({
  ...{ name, revision, version: '1.0.0' },
  ...(sections && { sections }),
})

it('gateways whose files differ in what each machine has its own of are no drift', () => {
  const sections = { server: 'aaaa', plans: 'bbbb' }

  expect(driftOf([member('gw-1', 'r1', sections), member('gw-2', 'r2', sections)])).toEqual([])
})

it('says in which sections files differ, also where a gateway has one that others lack', () => {
  const [drift, ...others] = driftOf([
    member('gw-1', 'r1', { server: 'a', plans: 'b' }),
    member('gw-2', 'r2', { server: 'a', plans: 'c', tools: 'd' }),
    member('gw-3', 'r2', { server: 'a', plans: 'c', tools: 'd' }),
  ])

  expect(others).toEqual([])
  expect(drift).toMatchObject({ of: 'revision', sections: ['plans', 'tools'] })
  expect(drift && driftText(drift)).toBe(
    'gateways serve different revisions (they differ in plans, tools): r2 on gw-2, gw-3; r1 on gw-1',
  )
})

it('a gateway that says nothing of its sections is drift as soon as its revision is another one', () => {
  const [drift] = driftOf([member('gw-1', 'r1', { plans: 'b' }), member('gw-2', 'r2')])

  expect(drift && driftText(drift)).toBe('gateways serve different revisions: r1 on gw-1; r2 on gw-2')
})
