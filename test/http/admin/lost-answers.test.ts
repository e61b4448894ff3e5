import { expect, vi } from 'vitest'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import { type Store, StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTestOn } from '../../support/gateway-test.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { fieldOf, outcomeOf, send } from '../calls.ts'

inNpmTest.describe('with the embedded store', () => answersLostWith(async () => undefined))
describeRedis('with Redis', () => answersLostWith(startRedis))

const asking =
  ({ admin }: TestGateway) =>
  (path: string, body: object, repeat?: string) =>
    send({ url: admin }, `POST ${path}`, {
      token: ADMIN_TOKEN,
      body,
      headers: repeat === undefined ? {} : { 'idempotency-key': repeat },
    })

/** Where the store fails: before it did what it was asked, or after that, so that its answer alone is lost. */
type Moment = 'before' | 'after'

/** Has one call of an operation fail, counted from 0, as a store that goes away; gives how many calls it made. */
function failCall(store: Store, place: number, moment: Moment) {
  let calls = 0
  const facets = [
    [store.keys, ['findCaller', 'mint', 'rotate', 'listOf', 'list', 'keepMintSecret']],
    [store.accounts, ['find', 'findByLabel', 'changeTerms']],
  ] as const
  const spies = facets.flatMap(([facet, names]) =>
    names.map(name => {
      const faulty = facet as unknown as Record<string, (...asked: unknown[]) => Promise<unknown>>
      const real = faulty[name]?.bind(facet)
      return vi.spyOn(faulty, name as string).mockImplementation(async (...asked) => {
        const isIt = calls++ === place
        if (isIt && moment === 'before') throw new StoreUnavailable('the store went away')
        const answer = await real?.(...asked)
        if (isIt) throw new StoreUnavailable('the store went away')
        return answer
      })
    }),
  )
  return {
    stop: () => {
      for (const spy of spies) spy.mockRestore()
      return calls
    },
  }
}

const OPERATIONS = [
  ['a mint that opens an account', '/admin/keys', (label: string) => ({ account: label, plan: 'pro' }), false],
  ['a mint for an account', '/admin/keys', (label: string) => ({ account: label, name: 'ci' }), true],
  ['a mint on another plan', '/admin/keys', (label: string) => ({ account: label, name: 'ci', plan: 'free' }), true],
  ['a rotation', '/admin/keys/rotate', (label: string) => ({ key: label }), true],
  ['a rotation with a grace', '/admin/keys/rotate', (label: string) => ({ key: label, grace: '1h' }), true],
] as const

function answersLostWith(startStore: () => Promise<RedisServer | undefined>): void {
  const it = gatewayTestOn(startStore)

  it.for(OPERATIONS)(
    '%s whose answer is lost to a 503, wherever the store fails, makes exactly one key once it is repeated',
    async ([_what, path, bodyFor, begins], { gateway, running }) => {
      const ask = asking(gateway)
      const { store } = running

      for (let place = 0, last = false; !last; place++)
        for (const moment of ['before', 'after'] as const) {
          const label = `carl-${place}-${moment}`
          if (begins) await ask('/admin/keys', { account: label, plan: 'pro' })
          const known = new Set((await store.keys.list()).map(({ hash }) => hash))
          const repeat = `repeat-${label}-${'x'.repeat(16)}`
          const fault = failCall(store, place, moment)

          const lost = await ask(path, bodyFor(label), repeat)

          const calls = fault.stop()
          last = place >= calls
          expect(outcomeOf(lost), `${moment} call ${place}`).toBe(place < calls ? '503 STORE_UNAVAILABLE' : '200')
          const again = await ask(path, bodyFor(label), repeat)
          expect(outcomeOf(again)).toBe('200')
          const made = (await store.keys.list()).filter(({ hash }) => !known.has(hash))
          expect(made.map(({ hash, status }) => [hash, status])).toEqual([[hashOf(fieldOf(again, 'value')), 'active']])
        }
    },
  )
}
