import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { changeTerms, signIn } from '../../../src/adapters/embedded/accounts.ts'
import { mintGuest } from '../../../src/adapters/embedded/guests.ts'
import { findCaller, mintKey, revokeKey, rotateKey } from '../../../src/adapters/embedded/keyring.ts'
import { openRecords, type Records } from '../../../src/adapters/embedded/records.ts'
import { newDirectory } from './directory.ts'
import { mintOf, NOON } from './fixtures.ts'

const ACCOUNTS = 6
const TURNS = 40

async function openFiles(): Promise<Records> {
  const records = await openRecords(await newDirectory())
  onTestFinished(() => records.close())
  return records
}

/** One account whose key is minted, rotated, revoked and moved to other plans; what was acknowledged holds at once. */
async function liveOn(records: Records, name: string, hashes: Set<string>): Promise<void> {
  const account = `acct_${name}`
  for (let turn = 0; turn < TURNS; turn++) {
    const [first, second] = [`${name}-${turn}-a`, `${name}-${turn}-b`]
    hashes.add(`hash-${first}`).add(`hash-${second}`)
    const mint = mintOf(name, first)
    const owner = turn === 0 ? { label: name, override: 'pro', newAccount: account } : { account }
    await mintKey(records, { ...mint, owner }, NOON)
    expect(findCaller(records, `hash-${first}`)).toMatchObject({ account })

    const next = { hash: `hash-${second}`, prefix: 'svc_next…' }
    await rotateKey(records, { account, current: `hash-${first}`, next, by: account }, NOON)
    expect([findCaller(records, `hash-${first}`), findCaller(records, `hash-${second}`)?.account]).toEqual([
      undefined,
      account,
    ])

    const override = turn % 2 === 0 ? 'team' : 'pro'
    await changeTerms(records, { account, change: { override }, by: 'operator' }, NOON + turn)
    expect(findCaller(records, `hash-${second}`)?.terms).toMatchObject({ override })

    await signIn(records, { account, claimed: `plan-${turn}`, issuedAt: NOON + turn }, NOON)
    expect(findCaller(records, `hash-${second}`)?.terms).toMatchObject({ claimed: `plan-${turn}` })

    await revokeKey(records, { hash: `hash-${second}`, by: 'operator' }, NOON)
    expect(findCaller(records, `hash-${second}`)).toBeUndefined()
  }
}

it('what was changed is what the next look-up says, while others look up and change', async () => {
  const records = await openFiles()
  const hashes = new Set<string>()
  let over = false
  const look = async () => {
    while (!over) {
      for (const hash of hashes) findCaller(records, hash)
      await setImmediate()
    }
  }
  const guests = async () => {
    for (let guest = 0; guest < TURNS; guest++) {
      const key = { hash: `hash-dev-${guest}`, prefix: 'svc_dev…' }
      hashes.add(key.hash)
      await mintGuest(records, { account: `dev_${guest}`, key }, NOON)
      await setTimeout(1)
    }
  }
  const looking = look()
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `n${index}`)
  await Promise.all([guests(), ...names.map(name => liveOn(records, name, hashes))]).finally(() => {
    over = true
  })
  await looking

  for (const hash of hashes) expect(records.known.key(hash)).toEqual(records.keys.get(hash))
  for (const name of names) {
    const account = `acct_${name}`
    expect(records.known.account(account)).toEqual(records.accounts.get(account))
  }
})

it('a change that fails leaves nothing of itself behind', async () => {
  const records = await openFiles()
  const { key } = mintOf('ada', 'a')
  await mintKey(records, mintOf('ada', 'a'), NOON)
  const failing = records.transact(() => {
    const known = records.keys.get(key.hash)
    if (known) records.keys.put(key.hash, { ...known, status: 'revoked' })
    findCaller(records, key.hash)
    throw new Error('a fault in a change')
  })

  await expect(failing).rejects.toThrow()

  expect(records.known.key(key.hash)).toEqual(records.keys.get(key.hash))
})
