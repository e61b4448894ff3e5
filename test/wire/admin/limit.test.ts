import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseLimitRule } from '../../../src/config/model/limit-text.ts'
import { LIMIT_SCOPES, type LimitRule, MEASURES, MOST_DAYS, NAMED_WINDOWS } from '../../../src/policy/limits/rule.ts'
import { limitText } from '../../../src/wire/admin/limit.ts'
import { ORG } from '../../../src/wire/admin/org.ts'
import { LIMIT_RULE } from '../../../src/wire/limit-rule.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { list } from '../../../src/wire/schema/schema.ts'

const rules = fc
  .record({
    measure: fc.constantFrom(...MEASURES),
    most: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    per: fc.oneof(
      fc.constantFrom(...NAMED_WINDOWS),
      fc.integer({ min: 1, max: MOST_DAYS }).map(days => `${days}d` as const),
    ),
    of: fc.constantFrom(undefined, ...LIMIT_SCOPES.filter(scope => scope !== 'account'), 'label:project' as const),
    model: fc.constantFrom(undefined, 'svc-core', 'tier:premium'),
  })
  .map(
    ({ measure, most, per, of, model }): LimitRule => ({
      measure,
      most,
      ...(measure !== 'concurrent' && { per: of === 'session' ? ('idle:24h' as const) : per }),
      ...(of && (of !== 'session' || measure !== 'concurrent') && { of }),
      ...(model && { model }),
    }),
  )

it('the text of every limit is read as the same limit, to the nano-USD', () => {
  fc.assert(
    fc.property(rules, rule => {
      expect(parseLimitRule(limitText(rule))).toEqual(rule)
    }),
  )
})

it('what a gateway sends of limits is read as it was sent, and nothing as none', () => {
  fc.assert(
    fc.property(fc.array(rules), sent => {
      expect(JSON.stringify(readAs(list(LIMIT_RULE), JSON.parse(JSON.stringify(sent))))).toBe(JSON.stringify(sent))
    }),
  )
  const older = { account: 'org:acme', label: 'org:acme', kind: 'org', created: 0, frozen: false }
  expect(readAs(ORG, older).limits).toEqual([])
})
