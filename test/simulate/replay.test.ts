import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineOf } from '../../src/adapters/decisions/line.ts'
import type { Config } from '../../src/policy/config.ts'
import { decide } from '../../src/policy/decide.ts'
import { possibleModels } from '../../src/policy/route.ts'
import { Replay, type Tally } from '../../src/simulate/replay.ts'
import { type Ask, AT, configOf, NOTHING_USED, recordOf } from '../adapters/decisions/made.ts'

const ROUTES = `
routes:
  - { name: urgent, when: { mentions: [urgent] }, use: big }
  - { name: late, when: { not: { header: { x-calm: "yes" } } }, use: other }
`
const yamlOf = (change: (yaml: string) => string = yaml => yaml) =>
  change(`version: 1
plans:
  free: { models: [small], rpm: 5, tpm: 40k, monthly_usd: 1 }
  pro: { models: all, rpm: 100, tpm: 400k, monthly_usd: 20 }
models:
  small: { kind: chat, tier: t, serve: [one, two], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  big: { kind: chat, tier: t, serve: [one], context: 32k, usd_per_1m: { input: 2, output: 20 } }
  other: { kind: chat, tier: t, serve: [two], context: 32k, usd_per_1m: { input: 2, output: 20 } }
aliases: { auto: small }
default_model: auto
pools:
  one: { site: here, model: x, replicas: [http://127.0.0.1:1/v1] }
  two: { site: there, model: x, replicas: [http://127.0.0.1:2/v1] }
`)
const before = configOf(yamlOf())

/** A candidate's decisions on requests that the files above decided. */
function replayed(change: (yaml: string) => string, asks: readonly Ask[], config: Config = before) {
  const replay = new Replay(configOf(yamlOf(change)))
  for (const [n, ask] of asks.entries()) replay.add(lineOf(recordOf(config, `req_${n}`, ask)).trimEnd())
  return replay.replayed
}
const told = ({ requests, before: _, after: __, ...counts }: Tally) =>
  Object.fromEntries(Object.entries({ requests, ...counts }).filter(([, count]) => count > 0))
const used = (readings: Partial<typeof NOTHING_USED>) => ({ at: AT + 3, readings: { ...NOTHING_USED, ...readings } })

describe('a replay', () => {
  it('through the same files changes nothing', () => {
    const asks = [
      { plan: 'free' },
      { plan: 'pro', request: { model: 'big' } },
      { plan: 'free', request: { model: 'big' } },
    ]
    const { total, groups } = replayed(yaml => yaml, asks)

    expect(told(total)).toEqual({ requests: 3, same: 3 })
    expect(total.before).toBe(total.after)
    expect(groups.map(({ plan, model }) => `${plan} ${model}`)).toEqual(['free big', 'free small', 'pro big'])
  })

  it('judges each request on what was used before it', () => {
    const asks = [2, 3, 4].map(requests => ({ plan: 'free', seen: used({ requests }) }))

    expect(told(replayed(yaml => yaml.replace('rpm: 5', 'rpm: 4'), asks).total)).toEqual({
      requests: 3,
      same: 2,
      refused: 1,
    })
  })

  it('judges each request on what was read of the limits of its plan, and of new ones on nothing', () => {
    const limited = (rows: string) => (yaml: string) => yaml.replace('rpm: 5', `rpm: 5, limits: [${rows}]`)
    const config = configOf(yamlOf(limited('{ requests: 5, per: hour, model: small }')))
    const index = Math.floor(AT / 3_600_000)
    const asks = [2, 3, 5].map(requests => ({
      plan: 'free',
      seen: { ...used({}), rules: [['account', 'requests/hour//small', index, index, requests, 0] as const] },
    }))
    const total = (rows: string) => told(replayed(limited(rows), asks, config).total)

    expect(total('{ requests: 5, per: hour, model: small }')).toEqual({ requests: 3, same: 3 })
    expect(total('{ requests: 3, per: hour, model: small }')).toEqual({ requests: 3, refused: 1, same: 2 })
    expect(total('{ requests: 6, per: hour, model: small }')).toEqual({ requests: 3, allowed: 1, same: 2 })
    expect(total('{ requests: 1, per: hour }')).toEqual({ requests: 3, allowed: 1, same: 2, unasked: 3 })
  })

  it('counts what was refused by a limit and is admitted now', () => {
    const asks = [{ plan: 'free', seen: used({ requests: 5 }) }]
    const { total } = replayed(yaml => yaml.replace('rpm: 5', 'rpm: 6'), asks)

    expect(told(total)).toEqual({ requests: 1, allowed: 1 })
    expect([total.before, total.after > 0]).toEqual([0, true])
  })

  it('says so where nobody was asked for what was used, because the files refused', () => {
    const asks = [{ plan: 'free', request: { model: 'big' } }]
    const { total } = replayed(yaml => yaml.replace('[small]', '[small, big]'), asks)

    expect(told(total)).toEqual({ requests: 1, allowed: 1, unasked: 1 })
    expect([total.before, total.after]).toEqual([0, 0])
  })

  it('tells another model from another order of pools', () => {
    const asks = [{ plan: 'pro' }]

    expect(told(replayed(yaml => yaml.replace('auto: small', 'auto: big'), asks).total)).toMatchObject({ rerouted: 1 })
    expect(told(replayed(yaml => yaml.replace('[one, two]', '[two, one]'), asks).total)).toMatchObject({ moved: 1 })
  })

  it('tells what is held more or less', () => {
    const asks = [{ plan: 'pro', request: { cap: { field: 'max_tokens' as const, tokens: 100 } } }]
    const { total } = replayed(yaml => yaml.replace('output: 10', 'output: 30'), asks)

    expect(total.after - total.before).toBe(100 * 20_000)
  })

  it('refuses whoever is on a plan that the candidate does not have', () => {
    expect(told(replayed(yaml => yaml.replaceAll('free', 'gratis'), [{ plan: 'free' }]).total)).toMatchObject({
      refused: 1,
    })
  })

  it('counts broken lines, whatever is in them, and goes on', () => {
    const replay = new Replay(before)
    const line = lineOf(recordOf(before, 'req_1', { plan: 'free' })).trimEnd()
    const lines = [
      '',
      line,
      line.slice(0, 300),
      'null',
      '[]',
      '{"v":2}',
      line.replace('{"override":"free"}', '7'),
      line,
    ]
    for (const each of lines) replay.add(each)

    expect(replay.replayed).toMatchObject({ broken: 5, total: { requests: 2 } })
  })
})

describe('a text that nobody looked at then', () => {
  const routed = (yaml: string) => `${yaml}${ROUTES}`

  it('makes undeterminable what hinges on it', () => {
    expect(told(replayed(routed, [{ plan: 'pro' }]).total)).toEqual({ requests: 1, undeterminable: 1 })
  })

  it('does not matter where the plan includes no model that a route leads to', () => {
    expect(told(replayed(routed, [{ plan: 'free' }]).total)).toEqual({ requests: 1, same: 1 })
  })

  it('does not matter where the client named its model', () => {
    expect(told(replayed(routed, [{ plan: 'pro', request: { model: 'small' } }]).total)).toEqual({
      requests: 1,
      same: 1,
    })
  })

  it('does not matter where the request is refused in any case', () => {
    const seen = used({ requests: 99 })
    const strict = (yaml: string) => routed(yaml).replace('rpm: 100', 'rpm: 50')

    expect(told(replayed(strict, [{ plan: 'pro', seen }]).total)).toEqual({ requests: 1, refused: 1 })
  })

  it('that some signals are known of is undeterminable only where they leave it open', () => {
    const config = configOf(yamlOf(routed))
    const [urgent = '', calm = ''] = config.matchers.map(({ name }) => name)
    const found = (signals: Record<string, boolean>) => ({
      ...recordOf(config, 'req_1', { plan: 'pro' }).facts,
      signals,
    })
    const names = (signals: Record<string, boolean>) => possibleModels(config, found(signals)).map(({ name }) => name)

    expect(names({ [urgent]: true })).toEqual(['big'])
    expect(names({ [calm]: false })).toEqual(['big', 'other'])
    expect(names({ [urgent]: false, [calm]: true })).toEqual(['small'])
    expect(names({})).toEqual(['big', 'other', 'small'])
  })

  it('never hides a model that the request may come to', () => {
    const leaf = fc.constantFrom(
      '{ mentions: [a] }',
      '{ mentions: [b] }',
      '{ header: { h: "1" } }',
      '{ has_tools: true }',
    )
    const { condition } = fc.letrec(tie => ({
      condition: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map(of => `{ any: [${of.join(', ')}] }`),
        tie('condition').map(of => `{ not: ${of} }`),
        fc.tuple(tie('condition'), tie('condition')).map(([of, other]) => `{ any: [${of}], not: ${other} }`),
      ),
    }))
    const known = fc.array(fc.constantFrom<boolean | undefined>(true, false, undefined), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(fc.tuple(condition, condition), known, ([one, other], looked) => {
        const config = configOf(
          yamlOf(
            yaml =>
              `${yaml}routes:\n  - { name: r1, when: ${one}, use: big }\n  - { name: r2, when: ${other}, use: other }\n`,
          ),
        )
        const names = config.matchers.map(({ name }) => name)
        const facts = recordOf(config, 'req_1', { plan: 'pro' }).facts
        const signals = Object.fromEntries(
          names.flatMap((name, at) => (looked[at] === undefined ? [] : [[name, looked[at]]])),
        )
        const possible = possibleModels(config, { ...facts, signals }).map(({ name }) => name)
        for (let bits = 0; bits < 2 ** names.length; bits++) {
          const all = Object.fromEntries(names.map((name, at) => [name, looked[at] ?? (bits & (1 << at)) !== 0]))
          const decision = decide(config, { ...facts, signals: all })
          expect(possible).toContain(!('denial' in decision) && decision.model.name)
        }
      }),
      { numRuns: 150 },
    )
  })
})
