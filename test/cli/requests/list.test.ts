import { describe, expect, it } from 'vitest'
import { widthOf } from '../../../src/cli/kit/table.ts'
import { inReadingOrder, requestsTable } from '../../../src/cli/requests/list-run.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { PastRequest } from '../../../src/wire/admin/past-request.ts'
import { atWidth } from '../at-width.ts'

const served: PastRequest = {
  ...{ request_id: 'req_01M7YRRT80H1AF1Q4JQ8S3TD8H', at: '2026-11-21T10:00:00.000Z', from: 'ledger' },
  ...{ account: 'acct_9G7wJY0iLwq9uFOir78m', label: 'ada@example.com', key: 'key_7Hq2DNHM9G7wJY0i', plan: 'pro' },
  ...{ path: null, status: null, outcome: 'ok', ms: 5212, asked: 'svc-auto', model: 'svc-ultra-pro', route: null },
  ...{
    pool: 'cloud-ultra',
    input_tokens: 12_400,
    output_tokens: 2200,
    cost_nano_usd: nanoUsd(61_000_000),
    usd: '0.061',
  },
  ...{ estimated: true, tools: null, code: null, type: null, limit: null, interrupted: null },
  failures: [{ pool: 'onprem-ultra', cause: 'status 503' }],
  ...{ labels: null, session: null },
}

const requests: readonly PastRequest[] = [
  {
    ...{ ...served, request_id: 'req_01M7YRRT81H1AF1Q4JQ8S3TD8H', status: 429, outcome: 'refused', ms: 1, pool: null },
    ...{ input_tokens: null, output_tokens: null, usd: null, cost_nano_usd: null, model: null, from: 'memory' },
    ...{
      code: 'rate_limit_exceeded',
      type: 'tpm',
      limit: 'tokens per day of key',
      failures: [],
      path: '/v1/chat/completions',
    },
  },
  served,
  { ...served, label: null, outcome: 'failed', interrupted: 'its gateway died', failures: [] },
  { ...served, label: 'a\u001b[2Jb', account: null, failures: [], estimated: false },
]

describe.each([80, 120, 200])('in %s columns', columns => {
  it('past requests are their golden text, and the ids are whole', async () => {
    const text = atWidth(columns, () => requestsTable(requests))

    await expect(`${text}\n`).toMatchFileSnapshot(`../golden/requests-list-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
    expect(text.match(/req_01M7YRRT8[01]H1AF1Q4JQ8S3TD8H/g)).toHaveLength(4)
  })
})

it('in a terminal the newest request stands last, beside the prompt; in a pipe it stands first', () => {
  const newestFirst = [{ ...served, request_id: 'req_new' }, served]

  expect(atWidth(80, () => inReadingOrder(newestFirst)).at(-1)?.request_id).toBe('req_new')
  expect(inReadingOrder(newestFirst)[0]?.request_id).toBe('req_new')
})

it.each([
  ['/v1/chat/completions', '(default)'],
  ['/v1/embeddings', '(default)'],
  ['/v1/models', '/v1/models'],
])('a request of %s that names no model has %s in the column of models', (path, shown) => {
  const table = requestsTable([{ ...served, model: null, asked: null, path }])

  expect(table).toContain(shown)
})
