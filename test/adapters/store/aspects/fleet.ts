import { expect, it } from 'vitest'
import type { ChangeContent, FleetChange } from '../../../../src/gateway/store/fleet-store.ts'
import type { Member } from '../../../../src/wire/admin/fleet.ts'
import type { Start } from '../contract.ts'
import { NOON } from '../fixtures.ts'

const LEASE = 10_000

const member = (id: string, more: Partial<Member> = {}): Member => ({
  id,
  name: `${id}:1`,
  version: '1.0.0',
  revision: 'aaaa',
  admin: `http://${id}:9090`,
  since: NOON,
  inFlight: 0,
  ...more,
})

const change = (id: string, more: Partial<FleetChange> = {}): FleetChange => ({
  id,
  phase: 'preparing',
  revision: 'bbbb',
  by: 'operator',
  members: ['a', 'b'],
  until: NOON + 30_000,
  before: [],
  ...more,
})

export function fleetContract(start: Start): void {
  it('a gateway counts from its announcement until its lease is over, or it leaves', async () => {
    const { store, clock } = await start()
    expect(await store.fleet.read()).toEqual({ at: NOON, members: [], drained: [] })

    await store.fleet.announce(member('a'), LEASE)
    clock.at += LEASE - 1
    expect((await store.fleet.announce(member('b', { since: NOON + 1 }), LEASE)).members).toEqual([
      member('a'),
      member('b', { since: NOON + 1 }),
    ])
    clock.at += 1
    expect((await store.fleet.read()).members.map(({ id }) => id)).toEqual(['b'])
    await store.fleet.leave('b')
    expect((await store.fleet.read()).members).toEqual([])
  })

  it('the newest announcement of a gateway is the one that counts', async () => {
    const { store } = await start()
    await store.fleet.announce(member('a'), LEASE)
    const { members } = await store.fleet.announce(member('a', { revision: 'bbbb', inFlight: 3 }), LEASE)
    expect(members).toEqual([member('a', { revision: 'bbbb', inFlight: 3 })])
  })

  it('the first seed of cached prompts is that of all gateways, over a restart too', async () => {
    const { store, reopen } = await start()
    const seeds = await Promise.all(['one', 'two', 'three'].map(fresh => store.fleet.cacheSeed(fresh)))
    expect(new Set(seeds).size).toBe(1)
    expect(['one', 'two', 'three']).toContain(seeds[0])
    const reopened = await reopen()
    expect(await reopened.fleet.cacheSeed('four')).toBe(seeds[0])
  })

  it('the counts of a canary stay over a restart, and change only from those that were read', async () => {
    const { store, reopen } = await start()
    expect(await store.fleet.setCanary('svc-core new', 'one', undefined)).toBe(true)
    const both = await Promise.all(['two', 'three'].map(next => store.fleet.setCanary('svc-core new', next, 'one')))
    expect([...both].sort()).toEqual([false, true])
    const reopened = await reopen()
    const { 'svc-core new': text } = await reopened.fleet.readCanaries()
    expect(text).toBe(both[0] ? 'two' : 'three')
    expect(await reopened.fleet.setCanary('svc-core new', undefined, 'one')).toBe(false)
    expect(await reopened.fleet.setCanary('svc-core new', undefined, text)).toBe(true)
    expect(await reopened.fleet.readCanaries()).toEqual({})
  })

  it('a drained pool or replica stays so over a restart, until it is undrained', async () => {
    const { store, reopen } = await start()
    await store.fleet.setDrained({ pool: 'onprem' }, true)
    await store.fleet.setDrained({ pool: 'cloud', replica: 'http://b' }, true)
    await store.fleet.setDrained({ pool: 'cloud', replica: 'http://b' }, true)
    await store.fleet.setDrained({ pool: 'cloud', replica: 'http://c' }, false)

    const reopened = await reopen()
    const { drained } = await reopened.fleet.read()
    expect([...drained].sort((a, b) => (a.pool < b.pool ? -1 : 1))).toEqual([
      { pool: 'cloud', replica: 'http://b' },
      { pool: 'onprem' },
    ])
    await reopened.fleet.setDrained({ pool: 'cloud', replica: 'http://b' }, false)
    expect((await reopened.fleet.read()).drained).toEqual([{ pool: 'onprem' }])
  })

  const content = (text: string): ChangeContent => ({
    ...{ files: [{ file: 'config.yaml', text }], how: 'apply', by: 'operator', movePlans: [['free', 'pro']] },
  })

  it('of two changes at once the one that the second expects is no longer there', async () => {
    const { store, reopen } = await start()
    const [one, two] = [change('1'), change('2')]
    expect(await store.fleet.setChange(one, undefined, content('one'))).toBe(true)
    expect(await store.fleet.setChange(two, undefined, content('two'))).toBe(false)
    expect(await store.fleet.readChange('2')).toBeUndefined()

    const committed = change('1', { phase: 'committed' })
    expect(await store.fleet.setChange(committed, one)).toBe(true)
    expect(await store.fleet.setChange(change('1', { phase: 'dropped' }), one)).toBe(false)
    const reopened = await reopen()
    expect((await reopened.fleet.read()).change).toEqual(committed)
    expect(await reopened.fleet.readChange('1')).toEqual(content('one'))
  })

  it('what the last committed change brings is kept beside that of the one after it, and no other', async () => {
    const { store } = await start()
    const { fleet } = store
    let last: FleetChange | undefined
    const put = async (next: FleetChange, brings?: ChangeContent) => {
      expect(await fleet.setChange(next, last, brings)).toBe(true)
      last = next
    }
    await put(change('1'), content('one'))
    await put(change('1', { phase: 'committed' }))
    await put(change('2', { before: ['1'] }), content('two'))
    await put(change('2', { before: ['1'], phase: 'dropped' }))
    await put(change('3', { before: ['1'] }), content('three'))
    const kept = () => Promise.all(['1', '2', '3', '4'].map(async id => (await fleet.readChange(id))?.files[0]?.text))
    expect(await kept()).toEqual(['one', undefined, 'three', undefined])

    await put(change('3', { before: ['1'], phase: 'committed' }))
    await put(change('4', { before: ['3', '1'] }), content('four'))
    expect(await kept()).toEqual([undefined, undefined, 'three', 'four'])
  })
}
