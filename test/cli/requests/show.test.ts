import { describe, expect, it } from 'vitest'
import { widthOf } from '../../../src/cli/kit/table.ts'
import { detailText } from '../../../src/cli/requests/show-run.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { ledgerRecord } from '../../../src/wire/admin/ledger-record.ts'
import { REQUEST_DETAIL, type RequestDetail } from '../../../src/wire/admin/request-detail.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { atWidth } from '../at-width.ts'

const ID = 'req_01M7YRRT80H1AF1Q4JQ8S3TD8H'
const ACCOUNT = 'acct_9G7wJY0iLwq9uFOir78m'

const row = ledgerRecord({
  ...{ requestId: ID, account: ACCOUNT, plan: 'pro', asked: 'svc-auto', model: 'svc-core', pool: 'cloud-core' },
  ...{ inputTokens: 900, outputTokens: 55, cost: nanoUsd(1_200_000), kind: 'settle', estimated: false },
  ...{ admittedAt: Date.parse('2026-11-21T10:00:00.000Z'), settledAt: Date.parse('2026-11-21T10:00:02.312Z') },
  ...{ revision: '8f5337f55caa', rule: 'long-input', key: 'key_7Hq2DNHM9G7wJY0i', label: 'ada@example.com' },
})

const detail: RequestDetail = {
  request: {
    ...{ request_id: ID, at: '2026-11-21T10:00:00.000Z', method: 'POST', path: '/v1/chat/completions', status: 200 },
    ...{ ms: 2312.4, account: ACCOUNT, plan: 'pro', asked: 'svc-auto', model: 'svc-core', route: 'long-input' },
    ...{ pool: 'cloud-core', input_tokens: 900, output_tokens: 55, usd: '0.0012' },
    failures: [{ pool: 'onprem-core', cause: 'status 503' }],
  },
  labels: { [ACCOUNT]: 'ada@example.com' },
  ledger: [row, { ...row, kind: 'waste', pool: 'onprem-core', estimated: true, usd: '0.0003', cause: 'status 503' }],
  decision: {
    ...{ verdict: 'allow', at: '2026-11-21T10:00:00.000Z', path: '/v1/chat/completions', asked: 'svc-auto' },
    ...{
      revision: '8f5337f55caa',
      same_files: true,
      agrees: true,
      outcome: null,
      answer: null,
      allowed_if: [],
      record: {},
    },
    stages: [
      { stage: 'who', outcome: 'pass', text: `${ACCOUNT} on plan pro`, file: 'policies/plans.yaml', line: 8 },
      {
        stage: 'route',
        outcome: 'pass',
        text: 'long-input: over 8000 input tokens',
        file: 'policies/routes.yaml',
        line: 3,
      },
      { stage: 'send', outcome: 'pass', text: 'onprem-core, then cloud-core', file: 'policies/models.yaml', line: 5 },
    ],
  },
  why_none: null,
}

describe.each([80, 120, 200])('in %s columns', columns => {
  it('a request with its rows and its decision is its golden text', async () => {
    const text = atWidth(columns, () => detailText(ID, detail, false))

    await expect(text).toMatchFileSnapshot(`../golden/requests-show-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })
})

it('what the ledger alone knows is shown from its rows, and why there is no decision', () => {
  const text = detailText(
    ID,
    { ...detail, request: null, labels: {}, decision: null, why_none: 'decisions.log is off.' },
    false,
  )

  expect(text).toContain(`account  ada@example.com (${ACCOUNT})`)
  expect(text).toMatch(/^settle +cloud-core +900 +55 +0\.0012 +2312 ms$/m)
  expect(text).toMatch(/\n\ndecisions\.log is off\.\n$/)
})

it('a refused request has no row, and says which limit it met', () => {
  const {
    pool: _,
    input_tokens: __,
    output_tokens: ___,
    usd: ____,
    failures: _____,
    ...asked
  } = detail.request ?? fail()
  const refused = { ...asked, status: 429, type: 'rpm', code: 'rate_limit_exceeded', limit: 'requests per minute' }
  const text = detailText(ID, { ...detail, request: refused, ledger: [] }, false)

  expect(text).toContain('answer   429 in 2312.4 ms, requests per minute')
  expect(text).toContain('The ledger has no row for it: it cost nothing.')
})

it('what a gateway sends is read as it is, and anything else is refused', () => {
  expect(readAs(REQUEST_DETAIL, JSON.parse(JSON.stringify(detail)))).toEqual(detail)
  for (const wrong of [null, {}, { ...detail, ledger: {} }, { ...detail, decision: { stages: [{}] } }])
    expect(() => readAs(REQUEST_DETAIL, wrong)).toThrow(TypeError)
})

function fail(): never {
  throw new Error('it is remembered')
}

it('the requests that spent the budget of its session are named below, without what would move a cursor', () => {
  const notes = ['The session \u001b[2Jses_1 spent the budget on one request: req_1 $0.12.']
  const text = detailText(ID, { ...detail, notes }, false)

  expect(text).toMatch(/\n\nThe session .*ses_1 spent the budget on one request: req_1 \$0\.12\.\n$/)
  expect(text).not.toContain('\u001b')
})
