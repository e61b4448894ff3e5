import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Holds } from '../../../src/adapters/embedded/open-holds.ts'
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import type { Hold } from '../../../src/policy/counters/account-counters.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { expectBalanced, newDirectory, now, openHere } from './directory.ts'
import { admit, claimsOf, clockAt, LAPSED, ledgerOf, NOON, openShop, type Shop, settlement, waste } from './fixtures.ts'
import { heldOf } from './held.ts'

const SPENT = { tokens: 12, cost: nanoUsd(14) }
/** More than are remembered. */
const MANY = 10_001

/** Ends so many other requests that no earlier one is remembered. */
async function forget(store: EmbeddedStore, shop: Shop, prefix = 'req_2'): Promise<void> {
  const refunds: Promise<void>[] = []
  for (let index = 0; index < MANY; index++) {
    const id = `${prefix}_${String(index).padStart(5, '0')}`
    refunds.push(store.holds.refund(await admit(store, shop, id, claimsOf({ rpm: 1e6, tpm: 1e9 }))))
  }
  await Promise.all(refunds)
}

/** Admits and settles a request that was charged before; nothing of it may be charged again. */
async function expectChargedOnce(store: EmbeddedStore, shop: Shop, requestId: string): Promise<void> {
  const before = await ledgerOf(store)
  const { used } = await store.accounts.readSpend(shop.account)

  await store.holds.settle(settlement(await admit(store, shop, requestId, claimsOf({ rpm: 1e6, tpm: 1e9 }))))

  expect(await ledgerOf(store)).toEqual(before)
  expect((await expectBalanced(store, shop.account)).filter(row => row.requestId === requestId)).not.toEqual([])
  expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used, held: 0 })
}

async function openNew() {
  const path = await newDirectory()
  const clock = clockAt(NOON)
  const store = await openEmbeddedStore({ path, now: clock.now })
  onTestFinished(() => store.close())
  return { path, clock, store, shop: await openShop(store) }
}

describe('embedded: a request id is charged once', () => {
  it('when it comes again while it is remembered', async () => {
    const { store, shop } = await openNew()
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))

    await expectChargedOnce(store, shop, 'req_1')
  })

  it('when it comes again after it was forgotten', async () => {
    const { store, shop } = await openNew()
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))
    await forget(store, shop)

    await expectChargedOnce(store, shop, 'req_1')
  })

  it('when it comes again after it was forgotten, and was greater than all before and after it', async () => {
    const { store, shop } = await openNew()
    await store.holds.settle(settlement(await admit(store, shop, 'req_9')))
    await forget(store, shop)

    await expectChargedOnce(store, shop, 'req_9')
  })

  it('when it comes again in the next process, the last of the ledger or not', async () => {
    const { path, store, shop } = await openNew()
    for (const id of ['req_1', 'req_2']) await store.holds.settle(settlement(await admit(store, shop, id)))
    await store.close()

    const after = await openHere(path)
    for (const id of ['req_1', 'req_2']) await expectChargedOnce(after, shop, id)
  })

  it('when the process before left it behind, and it comes again in the next one', async () => {
    const { path, store, shop } = await openNew()
    const hold = await admit(store, shop, 'req_1')
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    await store.close()

    const after = await openHere(path)
    await after.holds.settle(settlement(hold))
    await forget(after, shop)
    await expectChargedOnce(after, shop, 'req_1')
  })

  it('when it was settled without a hold, and is admitted after that', async () => {
    const { store, shop } = await openNew()
    const hold: Hold = { ...(await admit(store, shop, 'req_0')), requestId: 'req_1' }
    await store.holds.refund({ ...hold, requestId: 'req_0' })
    await store.holds.settle(settlement(hold))

    await expectChargedOnce(store, shop, 'req_1')
  })

  it('when it was an orphan that is forgotten, and is settled late, twice', async () => {
    const { store, shop, clock } = await openNew()
    const hold = await admit(store, shop, 'req_1')
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, SPENT) }])
    clock.at += LAPSED
    await store.holds.sweep()
    await forget(store, shop)

    await store.holds.settle(settlement(hold))
    await store.holds.settle(settlement(hold))

    const rows = await expectBalanced(store, shop.account)
    expect(rows.map(({ kind, cost }) => `${kind} ${cost}`)).toEqual(['orphan 14', 'late 36'])
    await expectChargedOnce(store, shop, 'req_1')
  })

  it('when its failed attempts were written down before, in this process or in the one before', async () => {
    const { path, store, shop } = await openNew()
    const hold = await admit(store, shop, 'req_1')
    await store.ledger.recordWaste([waste(hold)])
    await store.close()

    const after = await openHere(path)
    await after.holds.settle(settlement(await admit(after, shop, 'req_1')))
    await expectChargedOnce(after, shop, 'req_1')
    const other = await admit(after, shop, 'req_2')
    await after.ledger.recordWaste([waste(other)])
    await after.holds.settle(settlement(other))
    await expectChargedOnce(after, shop, 'req_2')
    expect((await expectBalanced(after, shop.account)).map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2'])
  })

  it('for as long as its row is kept', async () => {
    const { path, store, shop } = await openNew()
    for (const id of ['req_1', 'req_2']) await store.holds.settle(settlement(await admit(store, shop, id)))
    await store.close()
    const after = await openHere(path)

    expect(await after.ledger.trim(NOON + 1)).toBe(2)
    await after.holds.settle(settlement(await admit(after, shop, 'req_2')))

    await after.holds.settle(settlement(await admit(after, shop, 'req_2')))

    expect((await ledgerOf(after)).map(({ requestId }) => requestId)).toEqual(['req_2'])
    expect(await after.accounts.readSpend(shop.account)).toMatchObject({ used: 150, held: 0 })
  })

  it('whatever its letters are, in whatever order they come, and however often the process ends', async () => {
    const letter = fc.constantFrom('0', '9', 'A', 'z', '_', ' ', '~', 'é', '\u{ffee}', '\u{1f600}', '\u0001')
    const id = fc.oneof(
      fc.array(letter, { minLength: 1, maxLength: 4 }).map(letters => letters.join('')),
      fc.nat(30).map(number => `req_${number}`),
    )
    const step = fc.record({ id, held: fc.boolean(), restarts: fc.nat(6).map(of => of === 0) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async steps => {
        const path = await newDirectory()
        let store = await openEmbeddedStore({ path, now })
        const shop = await openShop(store)
        const some = await admit(store, shop, 'some')
        await store.holds.refund(some)
        for (const { id, held, restarts } of steps) {
          await store.holds.settle(settlement(held ? await admit(store, shop, id) : { ...some, requestId: id }))
          if (!restarts) continue
          await store.close()
          store = await openEmbeddedStore({ path, now })
        }

        const rows = await expectBalanced(store, shop.account)
        await store.close()
        const charged = new Set(steps.map(({ id }) => id))
        expect(rows.map(({ requestId }) => requestId).sort()).toEqual([...charged].sort())
      }),
      { numRuns: 15 },
    )
  })
})

describe('embedded: a request is taken for new', () => {
  const nameOf = (id: number) => `req_${String(id).padStart(5, '0')}`

  it('never when it ended before, or has a row, or the ledger goes beyond it', () => {
    fc.assert(
      fc.property(
        fc.nat(99_999),
        fc.array(fc.nat(99_999), { maxLength: 20 }),
        fc.infiniteStream(fc.nat(99_999)),
        (last, passed, ids) => {
          const holds = new Holds(nameOf(last))
          const rows = new Set([last, ...passed].map(nameOf))
          for (const id of passed) holds.pass(nameOf(id))
          for (let count = 0; count < 12_000; count++) {
            const id = nameOf(ids.next().value ?? 0)
            if (rows.has(id)) expect(!holds.admitted(id) && holds.isNew(id)).toBe(false)
            rows.add(id)
            holds.put(heldOf(id))
            holds.end(id, 'settled')
          }
        },
      ),
      { numRuns: 5 },
    )
  })

  it('when ids come as they are made, a little out of order, also after many were forgotten', () => {
    const holds = new Holds('req_00000')
    let known = 0
    for (let count = 0; count < 20_000; count++) {
      const id = nameOf(1 + (count ^ 3))
      if (holds.isNew(id)) known++
      holds.put(heldOf(id))
      holds.end(id, 'settled')
    }

    expect(known).toBe(20_000)
  })

  it('only when it is written with the signs of request ids', () => {
    const holds = new Holds('req_1')

    expect(['req_2', 'req_2+late', 'req_2 ', 'req_é', ''].map(id => holds.isNew(id))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })
})
