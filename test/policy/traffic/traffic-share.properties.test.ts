import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatModel, Pool, TrafficShare } from '../../../src/policy/config.ts'
import { decide } from '../../../src/policy/decide.ts'
import { chosenShare, WHOLE } from '../../../src/policy/traffic/share.ts'
import { config, facts } from '../fixture.ts'

const core = config.models.get('svc-core') as ChatModel
const [plain] = core.serve as readonly [Pool, Pool]
const pool = (name: string): Pool => ({ ...plain, name })
const shareOf = (name: string, millionths: number): TrafficShare => ({ pool: pool(name), millionths, at: plain.at })

const draw = fc.integer({ min: 0, max: 2 ** 32 - 1 })
/** Up to four shares of at most all together. */
const shares = fc.array(fc.integer({ min: 100, max: WHOLE }), { minLength: 1, maxLength: 4 }).map(parts => {
  const sum = Math.max(
    WHOLE,
    parts.reduce((total, part) => total + part, 0),
  )
  return parts.map((part, index) => shareOf(`new-${index}`, Math.max(1, Math.floor((part / sum) * WHOLE))))
})

/** `svc-core` with the pools of shares before its own. */
function sharing(traffic: readonly TrafficShare[]) {
  const model: ChatModel = { ...core, serve: [...traffic.map(each => each.pool), ...core.serve], traffic }
  const auto = { ...config.defaultModel, model } as never
  return { ...config, models: new Map([...config.models, [model.name, model]]), defaultModel: auto, aliases: new Map() }
}

const namesFor = (traffic: readonly TrafficShare[], of: number | string | undefined, down: readonly string[] = []) => {
  const decision = decide(sharing(traffic), facts(of === undefined ? {} : { draw: of }, 'free', down))
  return 'denial' in decision ? [] : decision.pools.map(({ name }) => name)
}

describe('shares of traffic', () => {
  it('each get their part of many conversations, within five standard deviations', () => {
    fc.assert(
      fc.property(shares, fc.integer(), (traffic, seed) => {
        const conversations = 20_000
        const counts = new Map<string, number>()
        for (let n = 0; n < conversations; n++) {
          // Neighbours, as digests never are: the harder case.
          const name = chosenShare(traffic, (seed + n) >>> 0)?.pool.name
          if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
        }
        for (const { pool, millionths } of traffic) {
          const part = millionths / WHOLE
          const deviation = Math.sqrt(conversations * part * (1 - part))
          expect(Math.abs((counts.get(pool.name) ?? 0) - conversations * part)).toBeLessThanOrEqual(5 * deviation + 1)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('keep the conversations they have when one of them grows, but for those that go to it', () => {
    fc.assert(
      fc.property(shares, draw, fc.nat(3), fc.integer({ min: 1, max: WHOLE }), (traffic, of, which, more) => {
        const sum = traffic.reduce((total, { millionths }) => total + millionths, 0)
        const grown = traffic[which % traffic.length]
        if (!grown) return
        const by = Math.min(more, WHOLE - sum)
        const after = traffic.map(each => (each === grown ? { ...each, millionths: each.millionths + by } : each))
        const [was, is] = [chosenShare(traffic, of)?.pool.name, chosenShare(after, of)?.pool.name]
        if (was !== undefined && is !== was) expect(is).toBe(grown.pool.name)
      }),
    )
  })

  it('send a conversation to one pool with a share at most, first, and to no other one even while all others are down', () => {
    fc.assert(
      fc.property(shares, fc.option(draw, { nil: undefined }), fc.boolean(), (traffic, of, isDown) => {
        const chosen = chosenShare(traffic, of)?.pool.name
        const names = namesFor(traffic, of, isDown ? core.serve.map(({ name }) => name) : [])
        expect(names.filter(name => name.startsWith('new-'))).toEqual(chosen === undefined ? [] : [chosen])
        if (chosen !== undefined) expect(names[0]).toBe(chosen)
        expect(names.slice(chosen === undefined ? 0 : 1)).toEqual(core.serve.map(({ name }) => name))
      }),
    )
  })

  it('of a pool that is down go on to the others, as failover does', () => {
    const traffic = [shareOf('new-0', 50_000)]
    expect(namesFor(traffic, 'new-0', ['new-0'])).toEqual(['onprem-core', 'cloud-core', 'new-0'])
    expect(namesFor(traffic, undefined, ['onprem-core'])).toEqual(['cloud-core', 'onprem-core'])
  })
})
