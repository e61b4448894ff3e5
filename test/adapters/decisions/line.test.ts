import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineOf } from '../../../src/adapters/decisions/line.ts'
import {
  type CallerKey,
  type ChatAsk,
  type Extra,
  type LostFields,
  type NativeSize,
  type OnlyNative,
  storedTerms,
} from '../../../src/policy/facts.ts'
import { storedReadings } from '../../../src/policy/limits/readings.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { ClaimsLine, DecisionRecord } from '../../../src/policy/record.ts'
import { LINE_VERSION } from '../../../src/wire/decision-line.ts'

/** With all members that there are: none can be forgotten here. */
type Whole<T> = T extends readonly string[] | number
  ? T
  : T extends object
    ? { [Field in keyof Required<T>]: Whole<T[Field]> }
    : T

/** As the form says: each member of the line, where there is one, by JSON.stringify. */
function plainly({ id, revision, facts, seen, outcome }: DecisionRecord): string {
  const { at, caller, request, health, signals } = facts
  const { account, kind, key, orgTerms } = caller
  const terms = storedTerms(caller.terms)
  const { verdict, plan, model, route, pools, granted, denial, claims } = outcome
  const minute = seen && 'readings' in seen ? seen.minute : undefined
  const told =
    seen && 'readings' in seen ? { ...seen, readings: storedReadings(seen.readings), minute: undefined } : seen
  const line = {
    ...{ v: LINE_VERSION, id, at, account, key, request, seen: told, granted, denial },
    ...{ revision, caller: kind, terms, orgTerms, health, signals, verdict, plan, model, route, pools },
    ...{ claims, minute },
  }
  const json = JSON.stringify(line)
  return `${json.replace(/[^ -~]/g, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('svc-core', '"\\/\u007f\u2028', 'größer', '\ud800'),
)
const count = fc.oneof(fc.nat(1000), fc.maxSafeNat())
const money = count.map(nanoUsd)
const limit = fc.record({ limit: count })
/** As decisions are built: in this order, and what may be missing last. */
const rarely = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })

const cap = fc.record({
  field: fc.constantFrom('max_tokens' as const, 'max_completion_tokens' as const),
  tokens: count,
})
const extra = fc.record<Whole<Extra>>({
  value: rarely(fc.oneof(text, fc.boolean(), count)),
  characters: rarely(count),
  bytes: count,
  isDefault: rarely(fc.constant(true)),
})
const names = rarely(fc.array(text))
const chat = fc.record<Whole<ChatAsk>>({
  kind: fc.constant('chat'),
  model: rarely(text),
  user: rarely(fc.stringMatching(/^[\w-]{22}$/)),
  labels: rarely(fc.record({ project: text })),
  session: rarely(text),
  draw: rarely(fc.nat()),
  stream: fc.boolean(),
  messages: count,
  images: count,
  textBytes: count,
  tools: count,
  hosted: rarely(fc.array(text)),
  cap: rarely(cap),
  choices: count,
  thinking: rarely(fc.boolean()),
  extras: rarely(fc.dictionary(fc.constantFrom('top_k2', 'negative_prompt', 'x'), extra)),
  optional: rarely(fc.array(text)),
  developer: rarely(fc.constant(true as const)),
  dialect: rarely(fc.constantFrom('responses' as const, 'messages' as const)),
  losses: rarely(fc.array(text)),
  lostFields: rarely(fc.record<Whole<LostFields>>({ chat: names, messages: names, responses: names })),
  providerTools: rarely(fc.array(text)),
  cuttable: rarely(fc.array(text)),
  native: rarely(
    fc.record<Whole<NativeSize>>({ bytes: count, images: count, isUnbounded: rarely(fc.constant(true as const)) }),
  ),
  cacheTime: rarely(fc.constantFrom('5m' as const, '1h' as const)),
  unknown: rarely(fc.array(text)),
  address: rarely(text),
  onlyNative: rarely(fc.record<Whole<OnlyNative>>({ field: text, problem: text, reason: rarely(text) })),
})
const image = fc
  .record({ size: rarely(text), images: count, textBytes: count })
  .map(ask => ({ kind: 'image' as const, ...ask }))
const terms = fc.record(
  { override: text, overage: fc.oneof(fc.boolean(), fc.record({ capNanoUsd: count })), claimed: text },
  { requiredKeys: [] },
)
const readings = fc.record({
  requests: count,
  tokens: count,
  day: count,
  concurrent: count,
  used: count.map(nanoUsd),
  held: count.map(nanoUsd),
})
const judged = fc.record({
  at: count,
  readings,
  minute: rarely(fc.array(fc.tuple(count, count, count))),
  rules: rarely(fc.array(fc.tuple(text, text, count, count, count, count))),
  shared: rarely(fc.record({ limit: money, taken: count.map(nanoUsd) })),
})
const seen = fc.oneof(
  judged,
  fc.constantFrom({ gone: 'key' as const }, { unavailable: true as const }),
  text.map(tool => ({ tool })),
)
const spend = fc.record({
  allotment: money,
  overageEnabled: fc.boolean(),
  window: fc.record({
    start: count,
    end: count,
    key: rarely(count),
    per: rarely(fc.constant('month@Europe:Berlin' as const)),
  }),
  price: fc.record({ input: money, output: money, item: rarely(money) }),
  items: count,
  limit: rarely(money),
})
const claims = fc.record<Whole<ClaimsLine>>({
  requests: limit,
  tokens: fc.record({ limit: count, input: count }),
  spend,
  output: fc.record({ want: count, min: count, choices: count }),
  day: rarely(limit),
  concurrency: rarely(limit),
  rules: rarely(fc.array(fc.record({ group: text, field: text, limit: count }))),
})
const outcome = fc.record({
  verdict: fc.constantFrom('allow' as const, 'deny' as const),
  plan: text,
  model: rarely(text),
  route: rarely(text),
  pools: rarely(fc.array(text)),
  granted: rarely(fc.record({ output: count, tokens: count, cost: count.map(nanoUsd) })),
  denial: rarely(fc.constantFrom({ code: 'STORE_UNAVAILABLE' }, { code: 'TOOL_UNAVAILABLE', tool: 'süß' })),
  claims: rarely(claims),
})
const facts = fc.record({
  at: count,
  caller: fc.record({
    kind: fc.constantFrom('developer', 'guest'),
    account: text,
    keyPrefix: fc.constant(null),
    terms,
    orgTerms: rarely(fc.record({ frozen: rarely(fc.constant(true as const)) })),
    key: rarely(
      fc.record<Whole<Omit<CallerKey, 'name' | 'limits'>>>({
        id: text,
        models: rarely(fc.array(text)),
        labels: rarely(fc.record({ project: text })),
        origin: rarely(text),
      }),
    ),
  }),
  request: fc.oneof(chat, image),
  health: fc.record({ down: fc.array(text) }),
  signals: fc.dictionary(text, fc.boolean()),
})

it('a line is its members as JSON.stringify writes them, in ASCII, whatever the record', () => {
  fc.assert(
    fc.property(text, text, facts, rarely(seen), outcome, (id, revision, facts, seen, outcome) => {
      const record = { id, revision, facts, seen, outcome } as DecisionRecord
      expect(lineOf(record)).toBe(plainly(record))
    }),
    { numRuns: 500 },
  )
})
