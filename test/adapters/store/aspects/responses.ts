import { randomBytes } from 'node:crypto'
import { array, assert, asyncProperty, constant, constantFrom, nat, oneof, record, uniqueArray } from 'fast-check'
import { expect, it } from 'vitest'
import { bytesOf, type KeptResponse } from '../../../../src/gateway/store/response-store.ts'
import { type Store, StoreUnavailable } from '../../../../src/gateway/store/store.ts'
import type { Start } from '../contract.ts'
import type { Clock } from '../fixtures.ts'

const HOUR = 3_600_000
const BOUNDS = { bytes: 1_000_000, responses: 100, total: 1e9 }

const response = (id: string, other: Partial<KeptResponse> = {}): KeptResponse => ({
  account: 'acct_ada',
  id,
  items: [`msg_of_${id}`],
  sealed: Buffer.from(`sealed ${id}`),
  keep: HOUR,
  ...other,
})

const readText = async (store: Store, id: string, account = 'acct_ada') =>
  (await store.responses.read(account, id))?.toString()

export function responsesContract(start: Start): void {
  it('a response is read by its account, byte for byte, also after a restart and when it has megabytes', async () => {
    const { store, reopen } = await start()
    const sealed = randomBytes(3_000_000)
    const whole = randomBytes(262_144)

    expect(await store.responses.keep(response('resp_1', { sealed }), { ...BOUNDS, bytes: 9e6 })).toBe(true)
    expect(await store.responses.keep(response('resp_2', { sealed: whole }), { ...BOUNDS, bytes: 9e6 })).toBe(true)

    expect((await store.responses.read('acct_ada', 'resp_1'))?.equals(sealed)).toBe(true)
    const again = await reopen()
    expect((await again.responses.read('acct_ada', 'resp_1'))?.equals(sealed)).toBe(true)
    expect((await again.responses.read('acct_ada', 'resp_2'))?.equals(whole)).toBe(true)
    expect(await again.responses.findByItem('acct_ada', 'msg_of_resp_1')).toBe('resp_1')
  })

  it('says what a response takes, to its account alone, and until its time is over', async () => {
    const { store, clock, reopen } = await start()
    const large = response('resp_1', { sealed: randomBytes(300_000) })
    await store.responses.keep(large, BOUNDS)

    expect(await store.responses.sizeOf('acct_ada', 'resp_1')).toBe(bytesOf(large))
    const again = await reopen()
    expect(await again.responses.sizeOf('acct_ada', 'resp_1')).toBe(bytesOf(large))
    expect(await again.responses.sizeOf('acct_bob', 'resp_1')).toBeUndefined()
    expect(await again.responses.sizeOf('acct_ada', 'a name with blanks')).toBeUndefined()
    clock.at += HOUR
    expect(await again.responses.sizeOf('acct_ada', 'resp_1')).toBeUndefined()
  })

  it('is not kept once those of all accounts have their bytes, whoever asks, and nothing is deleted for it', async () => {
    const { store, reopen } = await start()
    const each = bytesOf(response('resp_1'))
    const bounds = { ...BOUNDS, total: 3 * each }
    const of = (account: string, id: string) => response(id, { account })
    expect(await store.responses.keep(of('acct_ada', 'resp_1'), bounds)).toBe(true)
    expect(await store.responses.keep(of('acct_ada', 'resp_2'), bounds)).toBe(true)
    expect(await store.responses.keep(of('acct_bob', 'resp_3'), bounds)).toBe(true)

    expect(await store.responses.keep(of('acct_bob', 'resp_4'), bounds)).toBe(false)
    expect(await store.responses.keep(of('acct_cyd', 'resp_5'), bounds)).toBe(false)

    const again = await reopen()
    expect(await again.responses.readTotal()).toBe(3 * each)
    expect(await again.responses.keep(of('acct_cyd', 'resp_5'), bounds)).toBe(false)
    for (const [account, id] of [
      ['acct_ada', 'resp_1'],
      ['acct_ada', 'resp_2'],
      ['acct_bob', 'resp_3'],
    ] as const)
      expect(await readText(again, id, account)).toBe(`sealed ${id}`)
  })

  it('gives its bytes back once it is deleted, replaced, pushed out or over', async () => {
    const { store, clock } = await start()
    const each = bytesOf(response('resp_1'))
    const bounds = { ...BOUNDS, responses: 2, total: 3 * each }
    const keep = (id: string, account = 'acct_ada') => store.responses.keep(response(id, { account }), bounds)
    for (const id of ['resp_1', 'resp_2', 'resp_2', 'resp_3', 'resp_3', 'resp_4']) expect(await keep(id)).toBe(true)
    expect(await store.responses.readTotal()).toBe(2 * each)

    expect(await store.responses.remove('acct_ada', 'resp_4')).toBe(true)
    expect(await store.responses.readTotal()).toBe(each)
    expect([await keep('resp_5', 'acct_bob'), await keep('resp_6', 'acct_bob')]).toEqual([true, true])
    expect(await keep('resp_7', 'acct_cyd')).toBe(false)

    clock.at += HOUR + 60_000
    expect(await keep('resp_7', 'acct_cyd')).toBe(true)
    await store.responses.sweep()
    expect(await store.responses.readTotal()).toBe(each)
    clock.at += HOUR + 60_000
    await store.responses.sweep()
    expect(await store.responses.readTotal()).toBe(0)
  })

  it('many at once, of many accounts, never have more than all may', async () => {
    const { store } = await start()
    const each = bytesOf(response('resp_10'))
    const bounds = { ...BOUNDS, total: 4 * each }
    const kept = await Promise.all(
      Array.from({ length: 9 }, (_, i) =>
        store.responses.keep(response(`resp_${10 + i}`, { account: `acct_${i % 5}` }), bounds),
      ),
    )

    expect(kept.filter(Boolean).length).toBe(4)
    expect(await store.responses.readTotal()).toBe(4 * each)
  })

  it('another account finds, reads and deletes nothing of it', async () => {
    const { store } = await start()
    await store.responses.keep(response('resp_1'), BOUNDS)

    expect(await readText(store, 'resp_1', 'acct_bob')).toBeUndefined()
    expect(await store.responses.findByItem('acct_bob', 'msg_of_resp_1')).toBeUndefined()
    expect(await store.responses.remove('acct_bob', 'resp_1')).toBe(false)
    await store.responses.keep(response('resp_1', { account: 'acct_bob', sealed: Buffer.from('of bob') }), BOUNDS)

    expect(await readText(store, 'resp_1')).toBe('sealed resp_1')
    expect(await readText(store, 'resp_1', 'acct_bob')).toBe('of bob')
  })

  it('one that was deleted is gone with its items, and once', async () => {
    const { store, reopen } = await start()
    await store.responses.keep(response('resp_1'), BOUNDS)
    await store.responses.keep(response('resp_2'), BOUNDS)

    expect(await store.responses.remove('acct_ada', 'resp_1')).toBe(true)

    for (const open of [async () => store, reopen]) {
      const each = await open()
      expect(await readText(each, 'resp_1')).toBeUndefined()
      expect(await each.responses.findByItem('acct_ada', 'msg_of_resp_1')).toBeUndefined()
      expect(await each.responses.remove('acct_ada', 'resp_1')).toBe(false)
      expect(await readText(each, 'resp_2')).toBe('sealed resp_2')
    }
  })

  it('an item is found in the newest response that has it, and in the one before once that is deleted', async () => {
    const { store } = await start()
    for (const id of ['resp_b', 'resp_a', 'resp_c'])
      await store.responses.keep(response(id, { items: ['msg_1', 'msg_10', `only_${id}`] }), BOUNDS)

    expect(await store.responses.findByItem('acct_ada', 'msg_1')).toBe('resp_c')
    await store.responses.remove('acct_ada', 'resp_c')
    expect(await store.responses.findByItem('acct_ada', 'msg_1')).toBe('resp_a')
    expect(await store.responses.findByItem('acct_ada', 'only_resp_c')).toBeUndefined()
    expect(await store.responses.findByItem('acct_ada', 'msg_')).toBeUndefined()
    expect(await store.responses.findByItem('acct_ada', 'msg_10')).toBe('resp_a')
  })

  it('is over by the clock, to the millisecond, each at its own time', async () => {
    const { store, clock } = await start()
    await store.responses.keep(response('long', { items: ['msg_1'], keep: 2 * HOUR }), BOUNDS)
    await store.responses.keep(response('short', { items: ['msg_1'] }), BOUNDS)
    clock.at += HOUR - 1
    expect(await readText(store, 'short')).toBe('sealed short')

    clock.at += 1

    expect(await readText(store, 'short')).toBeUndefined()
    expect(await store.responses.remove('acct_ada', 'short')).toBe(false)
    expect(await store.responses.findByItem('acct_ada', 'msg_1')).toBe('long')
    await store.responses.sweep()
    expect(await readText(store, 'long')).toBe('sealed long')
    clock.at += HOUR
    expect(await readText(store, 'long')).toBeUndefined()
    await store.responses.sweep()
    expect(await store.responses.sweep()).toBe(0)
  })

  it('the oldest go when there are too many, or too many bytes', async () => {
    const { store } = await start()
    const bytes = bytesOf(response('resp_1'))
    const kept = async () => {
      const found = []
      for (let at = 1; at <= 8; at++) if (await readText(store, `resp_${at}`)) found.push(at)
      return found
    }

    for (let at = 1; at <= 4; at++) await store.responses.keep(response(`resp_${at}`), { ...BOUNDS, responses: 3 })
    expect(await kept()).toEqual([2, 3, 4])
    for (let at = 5; at <= 6; at++) await store.responses.keep(response(`resp_${at}`), { ...BOUNDS, bytes: 3 * bytes })
    expect(await kept()).toEqual([4, 5, 6])
    await store.responses.keep(response('resp_7'), { ...BOUNDS, bytes: 3 * bytes - 1 })
    expect(await kept()).toEqual([6, 7])
    expect(await store.responses.keep(response('resp_8'), { ...BOUNDS, bytes: bytes - 1 })).toBe(false)
    expect(await kept()).toEqual([6, 7])
    await store.responses.keep(response('resp_8', { account: 'acct_bob' }), { ...BOUNDS, responses: 1 })
    expect(await kept()).toEqual([6, 7])
  })

  it('one that expired counts for nothing', async () => {
    const { store, clock } = await start()
    await store.responses.keep(response('resp_1', { keep: HOUR }), BOUNDS)
    clock.at += HOUR
    const two = { ...BOUNDS, responses: 2 }

    for (const id of ['resp_2', 'resp_3']) await store.responses.keep(response(id), two)

    expect([await readText(store, 'resp_2'), await readText(store, 'resp_3')]).toEqual([
      'sealed resp_2',
      'sealed resp_3',
    ])
  })

  it('a text that is no name is the id of nothing', async () => {
    const { store } = await start()
    for (const odd of ['', ' ', 'a b', 'x'.repeat(5000), ' bytes', 'ä', 'resp_1\n']) {
      expect(await readText(store, odd)).toBeUndefined()
      expect(await store.responses.findByItem('acct_ada', odd)).toBeUndefined()
      expect(await store.responses.remove('acct_ada', odd)).toBe(false)
    }
  })

  it('rejects once the store is closed', async () => {
    const { store } = await start()
    await store.close()

    for (const call of [
      store.responses.keep(response('resp_1'), BOUNDS),
      store.responses.read('acct_ada', 'resp_1'),
      store.responses.remove('acct_ada', 'resp_1'),
      store.responses.findByItem('acct_ada', 'msg_1'),
    ])
      await expect(call).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it('any order of calls leaves what a list of the newest would have', async () => {
    const [ids, items] = [
      ['resp_a', 'resp_b', 'resp_c', 'resp_d', 'resp_e'],
      ['i', 'ii', 'j'],
    ]
    const [id, account] = [constantFrom(...ids), constantFrom('acct_ada', 'acct_bob')]
    const size = nat(300)
    const call = oneof(
      record({ account, id, size, items: uniqueArray(constantFrom(...items)) }).map(keeping),
      record({ account, id, size, items: constant([]) }).map(keeping),
      record({ account, id }).map(removing),
      nat(HOUR / 2).map(later),
      constant(sweeping),
    )
    await assert(
      asyncProperty(array(call, { maxLength: 30 }), async calls => {
        const { store, clock } = await start()
        const list = new NewestList(() => clock.at)
        for (const each of calls) await each({ store, clock, list })
        for (const whose of ['acct_ada', 'acct_bob']) {
          for (const each of ids) expect(await readText(store, each, whose)).toBe(list.read(whose, each))
          for (const each of items) expect(await store.responses.findByItem(whose, each)).toBe(list.find(whose, each))
        }
      }),
      { numRuns: 30 },
    )
  })
}

interface World {
  readonly store: Store
  readonly clock: Clock
  readonly list: NewestList
}

const keeping =
  ({ size, ...put }: { account: string; id: string; items: readonly string[]; size: number }) =>
  async ({ store, list }: World) => {
    const kept = response(put.id, { ...put, sealed: randomBytes(size + 1) })
    expect(await store.responses.keep(kept, list.bounds)).toBe(list.keep(kept))
  }

const removing =
  ({ account, id }: { account: string; id: string }) =>
  async ({ store, list }: World) => {
    expect(await store.responses.remove(account, id)).toBe(list.remove(account, id))
  }

const later =
  (time: number) =>
  async ({ clock }: World) => {
    clock.at += time
  }

const sweeping = async ({ store }: World) => {
  await store.responses.sweep()
}

/** The contents of a store, as a list. */
class NewestList {
  readonly bounds = { bytes: 1500, responses: 4, total: 1e6 }
  readonly #now: () => number
  #kept: (KeptResponse & { readonly until: number })[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  keep(put: KeptResponse): boolean {
    if (bytesOf(put) > this.bounds.bytes) return false
    this.#without(put.account, put.id)
    const [others, own] = [this.#kept.filter(({ account }) => account !== put.account), this.#of(put.account)]
    own.push({ ...put, until: this.#now() + put.keep })
    const bytes = () => own.reduce((sum, each) => sum + bytesOf(each), 0)
    while (own.length > this.bounds.responses || bytes() > this.bounds.bytes) own.shift()
    this.#kept = [...others, ...own]
    return true
  }

  remove(account: string, id: string): boolean {
    const known = this.read(account, id) !== undefined
    if (known) this.#without(account, id)
    return known
  }

  read(account: string, id: string): string | undefined {
    return this.#of(account)
      .find(each => each.id === id)
      ?.sealed.toString()
  }

  find(account: string, item: string): string | undefined {
    return this.#of(account).findLast(({ items }) => items.includes(item))?.id
  }

  #of(whose: string) {
    return this.#kept.filter(({ account, until }) => account === whose && until > this.#now())
  }

  #without(account: string, id: string): void {
    this.#kept = this.#kept.filter(each => each.account !== account || each.id !== id)
  }
}
