import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openRecords, type Records } from '../../../src/adapters/embedded/records.ts'
import { type EmbeddedStore, openOn } from '../../../src/adapters/embedded/store.ts'
import { lockDirectory } from '../../../src/adapters/embedded/store-directory.ts'
import { newDirectory } from './directory.ts'
import { mintOf, NOON } from './fixtures.ts'

const ACCOUNTS = 6
const TURNS = 40

async function openFiles(): Promise<{ records: Records; store: EmbeddedStore }> {
  const path = await newDirectory()
  const records = await openRecords(path)
  const store = await openOn(records, await lockDirectory(path), () => NOON)
  onTestFinished(() => store.close())
  return { records, store }
}

/** A key as it was looked up, without what is made of it then. */
function cached({ cache }: Records, hash: string): object | undefined {
  const { caller: _caller, ...key } = cache.key(hash) ?? {}
  return key
}

/** One account whose key is minted, rotated, revoked and moved to other plans; what was acknowledged holds at once. */
async function liveOn(store: EmbeddedStore, name: string, hashes: Set<string>): Promise<void> {
  const account = `acct_${name}`
  for (let turn = 0; turn < TURNS; turn++) {
    const [first, second] = [`${name}-${turn}-a`, `${name}-${turn}-b`]
    hashes.add(`hash-${first}`).add(`hash-${second}`)
    const mint = mintOf(name, first)
    const owner = turn === 0 ? { label: name, override: 'pro', newAccount: account } : { account }
    await store.keys.mint({ ...mint, owner })
    expect(await store.keys.findCaller(`hash-${first}`)).toMatchObject({ account })

    const next = { hash: `hash-${second}`, prefix: 'svc_next…' }
    await store.keys.rotate({ account, current: `hash-${first}`, next, by: account })
    expect([
      await store.keys.findCaller(`hash-${first}`),
      (await store.keys.findCaller(`hash-${second}`))?.account,
    ]).toEqual([undefined, account])

    const override = turn % 2 === 0 ? 'team' : 'pro'
    await store.accounts.changeTerms({ account, change: { override }, by: 'operator' })
    expect((await store.keys.findCaller(`hash-${second}`))?.terms).toMatchObject({ override })

    await store.accounts.signIn({ account, claimed: `plan-${turn}`, issuedAt: NOON + turn })
    expect((await store.keys.findCaller(`hash-${second}`))?.terms).toMatchObject({ claimed: `plan-${turn}` })

    await store.keys.revoke({ hash: `hash-${second}`, by: 'operator' })
    expect(await store.keys.findCaller(`hash-${second}`)).toBeUndefined()
  }
}

it('what was changed is what the next look-up says, while others look up and change', async () => {
  const { records, store } = await openFiles()
  const hashes = new Set<string>()
  let over = false
  const look = async () => {
    while (!over) {
      for (const hash of hashes) void store.keys.findCaller(hash)
      await setImmediate()
    }
  }
  const guests = async () => {
    for (let guest = 0; guest < TURNS; guest++) {
      const key = { hash: `hash-dev-${guest}`, prefix: 'svc_dev…' }
      hashes.add(key.hash)
      await store.keys.mintGuest({ account: `dev_${guest}`, key })
      await setTimeout(1)
    }
  }
  const looking = look()
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `n${index}`)
  await Promise.all([guests(), ...names.map(name => liveOn(store, name, hashes))]).finally(() => {
    over = true
  })
  await looking

  for (const hash of hashes) expect(cached(records, hash)).toEqual(records.keys.get(hash))
  for (const name of names) {
    const account = `acct_${name}`
    expect(records.cache.account(account)).toEqual(records.accounts.get(account))
  }
})

it('a change that fails leaves nothing of itself behind', async () => {
  const { records, store } = await openFiles()
  const { key } = mintOf('ada', 'a')
  await store.keys.mint(mintOf('ada', 'a'))
  const failing = records.transact(() => {
    const known = records.keys.get(key.hash)
    if (known) records.write.key(key.hash, { ...known, status: 'revoked' })
    void store.keys.findCaller(key.hash)
    throw new Error('a fault in a change')
  })

  await expect(failing).rejects.toThrow()

  expect(cached(records, key.hash)).toEqual(records.keys.get(key.hash))
})
