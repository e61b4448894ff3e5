import { expect, it } from 'vitest'
import { configText } from '../../src/cli/show/run.ts'
import { comparePools } from '../../src/config/diff/pools.ts'
import type { Loaded } from '../../src/config/settings.ts'
import { decide } from '../../src/policy/decide.ts'
import { explain } from '../../src/policy/explain.ts'
import { facts } from '../policy/fixture.ts'
import { loadGood, small } from './files.ts'

const pool = (slots: number, shares: string) =>
  loadGood(small.replace('{ site', `{ max_concurrent: ${slots}, queue: { max: 10 }, ${shares}site`))
const SHARES = 'shares: { org:research: 60%, plan:free: 12.5% }, '

const changes = (before: Loaded, after: Loaded) => {
  const [from, to] = [before, after].map(loaded => ({ loaded, directory: '/' }))
  if (!from || !to) throw new Error('there are two')
  return comparePools({ before: from, after: to, isUnknown: () => false }).map(({ text }) => text)
}

function explained(loaded: Loaded, org?: string): readonly string[] {
  const given = facts({ model: 'small' })
  const asked = { ...given, caller: { ...given.caller, terms: { ...given.caller.terms, ...(org && { org }) } } }
  const steps = explain(loaded.config, asked, decide(loaded.config, asked))
  return steps.filter(({ stage, text }) => stage === 'send' && text.includes('share')).map(({ text }) => text)
}

it('show writes shares as files do, with the slots that each guarantees, and can be read again', () => {
  const text = configText(pool(64, SHARES))
  expect(text).toMatch(/^ +shares: .*org:research: 60%.*plan:free: 12\.5%.* # 38 slots, 8 slots$/m)
  expect(
    loadGood(text)
      .config.pools.get('near')
      ?.shares?.map(({ slots }) => slots),
  ).toEqual([38, 8])
})

it('plan tells shares with their slots, also where only max_concurrent changes', () => {
  const shares = (a: string, b: string) => `org:research 60% (${a}), plan:free 12.5% (${b})`
  expect(changes(pool(64, ''), pool(64, SHARES))).toEqual([`pool near: shares none → ${shares('38 slots', '8 slots')}`])
  expect(changes(pool(64, SHARES), pool(8, SHARES))).toContain(
    `pool near: shares ${shares('38 slots', '8 slots')} → ${shares('5 slots', '1 slot')}`,
  )
})

it('explain names the share of a request: that of its org before that of its plan', () => {
  const loaded = pool(64, SHARES)
  const of = (owner: string, part: string) => `the request is in the share of ${owner}, which is guaranteed ${part}`
  expect(explained(loaded, 'research')).toEqual([of('org:research', '60% of near, 38 slots')])
  expect(explained(loaded, 'sales')).toEqual([of('plan:free', '12.5% of near, 8 slots')])
  expect(explained(pool(64, 'shares: { org:research: 60% }, '))).toEqual([
    'the request is in no share of near: it gets slots that no share owner is owed',
  ])
  expect(explained(pool(64, ''))).toEqual([])
})
