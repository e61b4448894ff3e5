import { expect, it } from 'vitest'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import type { EpochMs } from '../../../../../src/policy/config.ts'
import type { Hold } from '../../../../../src/policy/counters/account-counters.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../../../../src/policy/nano-usd.ts'
import type { Start } from '../../contract.ts'
import {
  admission,
  admit,
  claimsOf,
  NOON,
  openGuest,
  openShop,
  outcomeOf,
  outcomes,
  type Shop,
} from '../../fixtures.ts'

const DAY_MS = 86_400_000
const MIDNIGHT = NOON + DAY_MS / 2

/** Asks for 50 nano-USD of what guests share. */
export const askShared = (store: Store, shop: Shop, requestId: string, limit: NanoUsd, at: EpochMs = NOON) =>
  store.holds.admit({ ...admission(shop, requestId, claimsOf({ at })), shared: { limit } })

/** The hold of an admission that shares, and that the test takes for granted. */
export async function holdShared(store: Store, shop: Shop, requestId: string, at: EpochMs = NOON): Promise<Hold> {
  const admitted = await askShared(store, shop, requestId, nanoUsd(1_000_000), at)
  if (!('hold' in admitted)) throw new Error(`${requestId} was not admitted: ${JSON.stringify(admitted)}`)
  return admitted.hold
}

/** Today's part is exactly this: a request that costs nothing fits under it, and not under one less. */
export async function expectTaken(store: Store, shop: Shop, amount: NanoUsd, at: EpochMs = NOON): Promise<void> {
  const free = claimsOf({ at, input: 0, want: 0 })
  const asked = [amount, nanoUsd(amount - 1)].map(limit => ({
    ...admission(shop, `req_probe${probes++}`, free),
    shared: { limit },
  }))
  const answers = await Promise.all(asked.map(one => store.holds.admit(one)))

  expect(answers.map(outcomeOf)).toEqual(['admitted', 'guests-spent'])
  for (const answer of answers) if ('hold' in answer) await store.holds.refund(answer.hold)
}

let probes = 0

export function sharedContract(start: Start): void {
  it('all guests together never pass the limit, and it is used up to the last request that fits', async () => {
    const { store } = await start()
    const guests = await Promise.all(Array.from({ length: 10 }, (_, index) => openGuest(store, `device${index}`)))

    const answers = await Promise.all(
      guests.flatMap((guest, device) =>
        Array.from({ length: 5 }, (_, index) => askShared(store, guest, `req_${device}_${index}`, nanoUsd(549))),
      ),
    )

    expect(outcomes(answers)).toEqual({ admitted: 10, 'guests-spent': 40 })
    expect(answers.find(answer => outcomeOf(answer) === 'guests-spent')).toMatchObject({
      outcome: 'guests-spent',
      retryAfterMs: MIDNIGHT - NOON,
      judged: { at: NOON, shared: { taken: 10 * 50 } },
    })
  })

  it('a request refused for it takes nothing of its device', async () => {
    const { store } = await start()
    const phone = await openGuest(store)
    await askShared(store, phone, 'req_1', nanoUsd(50))

    expect(await askShared(store, phone, 'req_2', nanoUsd(99))).toMatchObject({ outcome: 'guests-spent' })

    expect(await askShared(store, phone, 'req_3', nanoUsd(100))).toMatchObject({
      readings: { requests: 1, day: 1, concurrent: 1, held: nanoUsd(50) },
    })
  })

  it('a request its device is refused takes nothing of it', async () => {
    const { store } = await start()
    const phone = await openGuest(store)
    const narrow = { ...admission(phone, 'req_1', claimsOf({ rpm: 0 })), shared: { limit: nanoUsd(100) } }
    const gone = { ...admission({ ...phone, keyHash: 'hash-nobody' }, 'req_2'), shared: { limit: nanoUsd(100) } }
    const stale = { ...admission({ ...phone, terms: { override: 'pro' } }, 'req_3'), shared: { limit: nanoUsd(100) } }

    const answers = [await store.holds.admit(narrow), await store.holds.admit(gone), await store.holds.admit(stale)]

    expect(answers.map(outcomeOf)).toEqual(['refused', 'key-gone', 'stale'])
    await expectTaken(store, phone, ZERO_USD)
  })

  it('a repeated request id takes its part once', async () => {
    const { store } = await start()
    const phone = await openGuest(store)

    const answers = [
      await askShared(store, phone, 'req_1', nanoUsd(50)),
      await askShared(store, phone, 'req_1', nanoUsd(50)),
    ]

    expect(answers[1]).toEqual(answers[0])
    await expectTaken(store, phone, nanoUsd(50))
  })

  it('what was asked for and not granted is not taken', async () => {
    const { store } = await start()
    const phone = await openGuest(store)
    const claims = claimsOf({ tpm: 30, want: 500, min: 1 })

    const admitted = await store.holds.admit({
      ...admission(phone, 'req_1', claims),
      shared: { limit: nanoUsd(100_000) },
    })

    expect(admitted).toMatchObject({ outcome: 'admitted', hold: { cost: nanoUsd(50) } })
    await expectTaken(store, phone, nanoUsd(50))
  })

  it('requests that do not share it are not counted, and are served when it is spent', async () => {
    const { store } = await start()
    const [phone, shop] = [await openGuest(store), await openShop(store)]
    await admit(store, shop, 'req_1')
    await expectTaken(store, phone, ZERO_USD)
    await askShared(store, phone, 'req_3', nanoUsd(50))

    expect(await store.holds.admit(admission(shop, 'req_4'))).toMatchObject({ outcome: 'admitted' })
  })
}
