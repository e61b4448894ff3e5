import type { ComparedSide, Comparison } from '../../records/comparison.ts'
import { fixed, map, moment, number, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'

const SIDE = record(
  {
    pool: text(),
    errors: whole('Answers that failed or broke off.'),
    first_token_p50_ms: orNull(whole('Null without streams.')),
    first_token_p95_ms: orNull(whole('Null without streams.')),
    tokens_per_second: orNull(number('The median, from the first token on; null without usage.')),
    input_tokens: whole(),
    output_tokens: whole(),
    finish_reasons: map(whole(), 'How many answers ended by each finish reason.'),
    json: whole('Answers to requests for JSON.'),
    json_valid: whole('Those of them that are JSON.'),
  },
  'ComparedPool',
)

export const COMPARISON = record(
  {
    object: fixed('comparison'),
    since: moment('Later than asked for where there are too many rows.'),
    requests: whole('Requests with both answers.'),
    left: whole(
      'Requests left out of all other figures: the client disconnected, or another request took the slot of the copy.',
    ),
    original: SIDE,
    copy: SIDE,
  },
  'PoolComparison',
  'Requests that one pool served, and their copies at another one.',
)

export interface ShownComparison extends TypeOf<typeof COMPARISON> {}

export const shownComparison = (
  { pool, to }: { readonly pool: string; readonly to: string },
  { pairs, left, since, original, copy }: Comparison,
): ShownComparison => ({
  object: 'comparison',
  since: new Date(since).toISOString(),
  requests: pairs,
  left,
  original: shownSide(pool, original),
  copy: shownSide(to, copy),
})

const shownSide = (pool: string, side: ComparedSide): ShownComparison['copy'] => ({
  pool,
  errors: side.errors,
  first_token_p50_ms: side.firstTokenP50Ms ?? null,
  first_token_p95_ms: side.firstTokenP95Ms ?? null,
  tokens_per_second: side.tokensPerSecond ?? null,
  input_tokens: side.inputTokens,
  output_tokens: side.outputTokens,
  finish_reasons: side.finish,
  json: side.json,
  json_valid: side.validJson,
})
