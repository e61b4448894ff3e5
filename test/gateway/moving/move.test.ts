import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/adapters/embedded/embedded-store.ts'
import type { Filling } from '../../../src/gateway/backup/restore.ts'
import { MoveFailed, type MovePorts, move } from '../../../src/gateway/moving/move.ts'
import { SwitchableStore } from '../../../src/gateway/moving/switchable-store.ts'
import type { Mark } from '../../../src/gateway/store/mark.ts'
import { newDirectory } from '../../adapters/store/directory.ts'
import { admit, claimsOf, ledgerOf, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { eventually } from '../../support/eventually.ts'

let source: EmbeddedStore
let store: SwitchableStore
let ports: MovePorts
let steps: string[]

beforeEach(async () => {
  source = await openEmbeddedStore({ path: join(await newDirectory(), 'one'), now: Date.now })
  store = new SwitchableStore(source)
  steps = []
  const mark = (state: Mark['state']): Mark => ({ state, id: 'm1', other: 'another', at: 1 })
  ports = {
    store,
    clock: { elapsed: () => performance.now() },
    marks: { moved: mark('moved'), copy: mark('copy') },
    fill: async () => filling(),
    open: async () => {
      throw new Error('it cannot be opened')
    },
    journal: {
      begin: async () => void steps.push('begin'),
      commit: async () => void steps.push('commit'),
      end: async () => void steps.push('end'),
    },
    say: () => {},
    signal: new AbortController().signal,
  }
})

afterEach(() => source.close())

/** Takes everything and keeps nothing. */
const filling = (more: Partial<Filling> = {}): Filling => ({
  take: async records => {
    for await (const _ of records);
  },
  sync: async () => {},
  forgetPresent: async () => {},
  end: async () => {},
  drop: async () => void steps.push('drop'),
  close: async () => {},
  ...more,
})

it('requests wait no longer for a copy that is late, and go on in the store that they had', async () => {
  const shop = await openShop(store)
  const hold = await admit(store, shop, 'req_1', claimsOf({ at: Date.now() }))
  let letGo = () => {}
  const stuck = new Promise<void>(resolve => {
    letGo = resolve
  })
  const ending = vi.fn(() => stuck)
  const moving = move({ ...ports, fill: async () => filling({ end: ending }) })
  const refused = expect(moving).rejects.toThrow(MoveFailed)
  await eventually(() => expect(ending).toHaveBeenCalled())

  await store.holds.settle(settlement(hold))
  expect(await ledgerOf(source)).toHaveLength(1)
  letGo()
  await refused
  expect(steps).toEqual(['begin', 'drop', 'end'])
  expect(await source.readMark()).toBeUndefined()
  expect(store.current).toBe(source)
})

it('a copy that cannot be opened, or lacks a row, does not take over', async () => {
  const shop = await openShop(store)
  await store.holds.settle(settlement(await admit(store, shop, 'req_1', claimsOf({ at: Date.now() }))))
  await expect(move(ports)).rejects.toThrow('it cannot be opened')
  const path = join(await newDirectory(), 'two')
  const empty = openEmbeddedStore({ path, now: Date.now })
  await expect(move({ ...ports, open: () => empty })).rejects.toThrow('the copy has 0 rows of 1')
  expect(steps).not.toContain('commit')
  expect(await source.readMark()).toBeUndefined()
  await store.accounts.find(shop.account)
})

it('an operator who leaves ends the move', async () => {
  const left = new AbortController()
  left.abort()
  await openShop(store)
  await expect(move({ ...ports, signal: left.signal })).rejects.toThrow('the operator left')
  expect(steps).toEqual(['begin', 'drop', 'end'])
})
