import { expect, it } from 'vitest'
import { CallerWatch } from '../../../src/gateway/accounts/caller-watch.ts'
import type { AccountRecord } from '../../../src/gateway/store/account-store.ts'
import type { Caller } from '../../../src/policy/facts.ts'
import { VirtualClock } from '../../support/clock.ts'

const CALLER: Caller = { kind: 'developer', account: 'acct_ada', keyPrefix: 'svc_7Hq2…', terms: {} }

function watching() {
  const asked: string[] = []
  const [gone, frozen] = [new Set<string>(), new Set<string>()]
  const clock = new VirtualClock(0)
  const findCaller = async (hash: string) => {
    asked.push(hash)
    if (gone.has(hash)) return undefined
    return frozen.has(hash) ? { ...CALLER, terms: { frozen: true as const } } : CALLER
  }
  const find = async (account: string): Promise<AccountRecord> => {
    asked.push(account)
    const terms = { org: 'acme', ...(frozen.has(account) && { frozen: true as const }) }
    return { account, kind: 'developer', label: account, terms, createdAt: 0 }
  }
  const findOrg = async (org: string) => ({
    org,
    terms: frozen.has(org) ? { frozen: true as const } : {},
    createdAt: 0,
  })
  const watch = new CallerWatch({ keys: { findCaller }, accounts: { find }, orgs: { find: findOrg } }, clock)
  return { asked, gone, frozen, clock, watch }
}
const byKey = (keyHash: string) => ({ caller: CALLER, keyHash })
const signedIn = (account: string) => ({ caller: { ...CALLER, account, keyPrefix: null } })
const turn = () => new Promise(setImmediate)

it('a key is looked up once for all that is open with it, and not once nothing is', async () => {
  const { asked, clock, watch } = watching()
  const calls = [
    watch.watch(byKey('a'), () => {}),
    watch.watch(byKey('a'), () => {}),
    watch.watch(byKey('b'), () => {}),
  ]

  clock.advance(1000)
  await turn()
  expect(asked.sort()).toEqual(['a', 'b'])

  for (const call of calls) call()
  clock.advance(1000)
  await turn()
  clock.advance(10_000)
  await turn()
  expect(asked).toHaveLength(2)
})

it('who watches a key hears once that it works no more, and who does not hears nothing', async () => {
  const { gone, clock, watch } = watching()
  const heard: string[] = []
  for (const [hash, name] of [
    ['a', 'first'],
    ['a', 'second'],
    ['b', 'other'],
  ] as const)
    watch.watch(byKey(hash), () => heard.push(name))
  gone.add('a')

  for (let i = 0; i < 3; i++) {
    clock.advance(1000)
    await turn()
  }

  expect(heard.sort()).toEqual(['first', 'second'])
})

it('who watches a key hears whether it was revoked, or its account was frozen', async () => {
  const { gone, frozen, clock, watch } = watching()
  const heard: Record<string, string> = {}
  for (const hash of ['a', 'b', 'c'])
    watch.watch(byKey(hash), reason => {
      heard[hash] = reason
    })
  gone.add('a')
  frozen.add('b')

  clock.advance(1000)
  await turn()

  expect(heard).toEqual({ a: 'revoked', b: 'frozen' })
})

it('who signed in hears that the account was frozen, or its org, and nothing before', async () => {
  const { asked, frozen, clock, watch } = watching()
  const heard: string[] = []
  for (const account of ['acct_ada', 'acct_ada', 'acct_bob'])
    watch.watch(signedIn(account), reason => heard.push(`${account} ${reason}`))

  clock.advance(1000)
  await turn()
  expect({ asked: asked.sort(), heard }).toEqual({ asked: ['acct_ada', 'acct_bob'], heard: [] })
  frozen.add('acct_bob')
  clock.advance(1000)
  await turn()
  expect(heard).toEqual(['acct_bob frozen'])
  frozen.add('acme')
  clock.advance(1000)
  await turn()
  expect(heard).toEqual(['acct_bob frozen', 'acct_ada frozen', 'acct_ada frozen'])
})

it('a request that starts after all others ended is watched again', async () => {
  const { gone, clock, watch } = watching()
  watch.watch(byKey('a'), () => {})()
  clock.advance(1000)
  await turn()
  gone.add('a')
  let heard = 0
  watch.watch(byKey('a'), () => {
    heard++
  })

  clock.advance(1000)
  await turn()

  expect(heard).toBe(1)
})
