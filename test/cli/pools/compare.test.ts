import { expect, it } from 'vitest'
import { comparisonText } from '../../../src/cli/pools/compare.ts'
import type { ShownComparison } from '../../../src/wire/admin/comparison.ts'

const SIDE: ShownComparison['copy'] = {
  pool: 'onprem',
  errors: 0,
  first_token_p50_ms: 140,
  first_token_p95_ms: 610,
  tokens_per_second: 41.2,
  input_tokens: 9000,
  output_tokens: 1200,
  finish_reasons: { stop: 30 },
  json: 10,
  json_valid: 10,
}

it('two pools stand side by side, each figure on a line, and what one of them lacks as 0 or a dash', () => {
  const copy = {
    ...SIDE,
    pool: 'new',
    errors: 3,
    first_token_p50_ms: null,
    finish_reasons: { length: 27 },
    json_valid: 9,
  }
  const text = comparisonText({ object: 'comparison', since: '', requests: 30, left: 0, original: SIDE, copy })
  const lines = text.split('\n').map(line => line.trim().split(/ {2,}/))

  expect(lines).toEqual([
    ['REQUESTS', 'onprem', 'new'],
    ['answered', '30', '30'],
    ['errors', '0 (0%)', '3 (10%)'],
    ['first token p50', '140 ms', '-'],
    ['first token p95', '610 ms', '610 ms'],
    ['tokens a second', '41.2', '41.2'],
    ['tokens in', '9000', '9000'],
    ['tokens out', '1200', '1200'],
    ['finish: stop', '30', '0'],
    ['finish: length', '0', '27'],
    ['valid JSON', '10 of 10', '9 of 10'],
  ])
})
