import { expect, it } from 'vitest'
import { openRecords } from '../../../src/adapters/embedded/records.ts'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { newDirectory } from './directory.ts'
import { mintOf, NOON, openShop } from './fixtures.ts'

it('labels of an older build stay as they are, also where they look alike, and no third one joins them', async () => {
  const path = await newDirectory()
  const open = () => openEmbeddedStore({ path, now: () => NOON })
  const before = await open()
  await openShop(before, 'ada')
  await openShop(before, 'Bob')
  await before.accounts.signIn({ account: 'acct_eve', label: 'eve' })
  await before.close()
  // As a build that knows of no shapes leaves them.
  const records = await openRecords(path)
  const bob = records.accounts.get('acct_Bob')
  if (!bob) throw new Error('the account of Bob is missing')
  await records.change(() => {
    records.shapes.clearSync()
    records.labels.put('ADA', 'acct_Bob')
    records.write.account('acct_Bob', { ...bob, label: 'ADA' })
    records.labels.remove('Bob')
  })
  await records.close()

  const store = await open()

  expect((await store.keys.mint(mintOf('ADA', 'k'))).outcome).toBe('exists')
  expect((await store.keys.mint(mintOf('ada', 'k'))).outcome).toBe('exists')
  expect((await store.keys.mint(mintOf('Ada', 'k'))).outcome).toBe('alike')
  expect((await store.keys.mint(mintOf('EVE', 'k'))).outcome).toBe('alike')
  expect((await store.keys.mint(mintOf('bob', 'k'))).outcome).toBe('minted')
  await store.close()
})
