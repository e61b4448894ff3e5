import type { CanaryRules, EpochMs, TrafficShare } from '../../policy/config.ts'
import {
  type CanaryCounts,
  figuresOf,
  noCounts,
  rulesText,
  type SideCounts,
  type StopReason,
} from '../../policy/traffic/canary.ts'
import { shareText } from '../../policy/traffic/share.ts'
import { moment, optional, orNull, record, type TypeOf, text, whole, word } from '../schema/schema.ts'

const SIDE = record(
  {
    requests: whole('The newest requests that are compared.'),
    errors: whole('Those of them that failed here.'),
    first_token_p95_ms: orNull(whole('Null without streams.')),
  },
  'CanarySide',
)

const CANARY = record(
  {
    state: word(['running', 'stopped'] as const, '`stopped`: it broke a rule, and its pool was drained.'),
    stop_when: text('The rules, in words.'),
    why: optional(word(['errors_over', 'first_token_p95_over'] as const, 'The rule that it broke.')),
    stopped_at: optional(moment()),
    against: text('The pool that it is compared with.'),
    canary: SIDE,
    control: SIDE,
  },
  'Canary',
  'A pool that is compared with another one of the model, over all gateways.',
)

export interface ShownCanary extends TypeOf<typeof CANARY> {}

export const SHARE = record(
  {
    model: text(),
    share: text('The share of the conversations of the model that come here first, such as `5%`.'),
    canary: optional(CANARY),
  },
  'TrafficShare',
  'A share of the conversations of a model, which gives the pool no failover traffic of it.',
)

export interface ShownShare extends TypeOf<typeof SHARE> {}

/** The share of a pool, and what is known of its canary. */
export interface KnownShare {
  readonly model: string
  readonly share: TrafficShare
  /** Absent where no gateway has compared it yet. */
  readonly counts?: Pick<CanaryCounts, 'canary' | 'control'>
  readonly stopped?: { readonly at: EpochMs; readonly why: StopReason }
}

export const shownShare = ({ model, share, counts, stopped }: KnownShare): ShownShare => ({
  model,
  share: shareText(share.millionths),
  ...(share.canary && { canary: shownCanary(share.canary, counts ?? noCounts(share.canary), stopped) }),
})

const shownCanary = (
  rules: CanaryRules,
  { canary, control }: Pick<CanaryCounts, 'canary' | 'control'>,
  stopped: KnownShare['stopped'],
): ShownCanary => ({
  state: stopped ? 'stopped' : 'running',
  stop_when: rulesText(rules),
  ...(stopped && { why: stopped.why, stopped_at: new Date(stopped.at).toISOString() }),
  against: rules.against,
  canary: shownSide(canary),
  control: shownSide(control),
})

function shownSide(counts: SideCounts): ShownCanary['canary'] {
  const { requests, errors, firstTokenP95Ms } = figuresOf(counts)
  return { requests, errors, first_token_p95_ms: firstTokenP95Ms ?? null }
}
