import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { accountsTable, accountText } from '../../src/cli/accounts/text.ts'
import { auditTable } from '../../src/cli/audit/audit.ts'
import { docText } from '../../src/cli/doc/run.ts'
import { findingsText } from '../../src/cli/doctor/report.ts'
import { widthOf } from '../../src/cli/kit/table.ts'
import { modelsText } from '../../src/cli/models/run.ts'
import { quotaTable } from '../../src/cli/quota/quota.ts'
import { replayText } from '../../src/cli/replay/run.ts'
import { requestRow } from '../../src/cli/requests/run.ts'
import { usageTable } from '../../src/cli/usage/text.ts'
import { renderText } from '../../src/config/format/problem-text.ts'
import { load } from '../../src/config/load.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import { lookOf } from '../../src/server/log/terminal-text.ts'
import type { ShownAccount } from '../../src/wire/admin/account.ts'
import { ROOT } from '../deploy/files.ts'
import { atWidth } from './at-width.ts'
import { request, standing } from './quota/tail/events.ts'

const LABEL = 'a-customer-with-a-rather-long-name@subsidiary.example.org'

const account: ShownAccount = {
  ...{
    account: 'acct_9G7wJY0iLwq9uFOir78m',
    label: LABEL,
    kind: 'developer',
    created: 1_795_000_000,
    frozen: false,
    org: null,
    org_frozen: false,
  },
  ...{ plan: 'pro', plan_source: 'operator', overage: 'off', overage_source: 'plan' },
  window: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
  ...{ used_usd: '0.01018982', held_usd: '0', limit_usd: '20', granted_usd: '5', limits: [] },
  ...{ sign_ins: [], invited_until: null },
  keys: [{ key: 'svc_DNHM…', status: 'active', created: 1_795_000_000, id: 'key_7Hq2DNHM9G7wJY0i', name: null }],
}

const change = {
  ...{ at: '2026-11-22T21:50:09.000Z', by: 'operator ada@laptop', by_label: '', action: 'set-overage' },
  ...{ account: account.account, label: LABEL, before: 'up to 10 USD', after: 'off' },
}

const tally = {
  requests: 1500,
  refused: 12,
  allowed: 3,
  rerouted: 0,
  moved: 7,
  undeterminable: 0,
  same: 1478,
  unasked: 0,
}
const replayed = { ...tally, before: nanoUsd(24_232_200), after: nanoUsd(24_000_000) }

const example = () => {
  const read = load('config.example.yaml', { CLOUD_KEY: 'x' }, ROOT)
  if (!read.ok) throw new Error('the example is not valid')
  return read.loaded.config
}

const SCREENS: Readonly<Record<string, () => string>> = {
  'accounts list': () => accountsTable([account]),
  'accounts show': () => accountText({ ...account, label: 'ada@example.com' }),
  audit: () => auditTable([change]),
  'quota show': () => quotaTable([standing(LABEL, { used_usd: '0.0000227', requests: 42, tokens: 118_499 })]),
  'usage --by account': () =>
    usageTable({
      ...{ object: 'list', by: 'account', since: null, waste: [] },
      data: [
        {
          ...{ group: account.account, label: LABEL, requests: 1500, usd: '0.01018982' },
          ...{
            input_tokens: 489_000,
            cached_tokens: 0,
            cache_write_tokens: 0,
            output_tokens: 137_700,
            cost_nano_usd: nanoUsd(10_189_820),
          },
        },
      ],
    }),
  models: () => modelsText(example()),
  replay: () =>
    replayText({
      ...{ candidate: '8f5337f55caa', revisions: ['e3b427a34743'], broken: 0, total: replayed },
      groups: [{ plan: 'guest-device', model: 'svc-embed-fast', ...replayed }],
    }),
  doctor: () =>
    findingsText(
      [
        {
          ...{ check: 'pools', subject: 'onprem-embed-fast', state: 'warning', replicas: { fit: 1, of: 1 } },
          text: 'nomic-ai/nomic-embed-text-v1.5, which gives 512 numbers where the policy says 768',
          hint: 'set `dimensions: 512` at the model, or serve the one that the policy names',
        },
      ],
      false,
    ),
  doc: () =>
    docText({
      ...{ field: 'limits.body_memory', kinds: [], type: 'a size', unit: 'bytes, or KB, MB or GB by thousands' },
      ...{ range: '2000 to 1000000000000', written: null, default: null, required: false, example: { a: 1 } },
      description: 'The most memory that bodies of all requests under way may take together, until answers begin.',
      fields: [
        {
          name: 'body_memory',
          kinds: [],
          required: true,
          default: null,
          description: 'No account gets more than half of it.',
        },
      ],
    }),
  validate: () =>
    renderText(
      [
        {
          ...{ file: 'policies/plans.yaml', line: 1, column: 5, length: 12, rule: 'unknown-field', severity: 'error' },
          message: 'unknown field `monthly_used`',
          hint: 'known here: `models`, `tools`, `rpm`, `tpm`, `per_day`, `max_concurrent`, `monthly_usd`, `overage`',
        },
      ],
      new Map([
        [
          'policies/plans.yaml',
          '    monthly_used: 1 # a comment that goes on for longer than the window is wide, as comments do',
        ],
      ]),
      lookOf(process.stdout),
    ),
}

describe.each([60, 80, 120, 200])('in %s columns', columns => {
  it.each(Object.keys(SCREENS))('no line of %s is longer', name => {
    const lines = stripVTControlCharacters(atWidth(columns, () => SCREENS[name]?.() ?? '')).split('\n')

    expect(lines.filter(line => widthOf(line) > columns)).toEqual([])
  })
})

it.each([
  [80, /^svc-pro +onprem-pro > cloud-pro +128000 {2}\$0\.60 in, \$2\.40 out$/m],
  [120, /^svc-core +chat +onprem-core > cloud-core +32000 .* guest-device, free, pro, team$/m],
  [200, /^svc-image +image +standard +onprem-image +- +\$0\.01 to \$0\.02 an image +pro, team$/m],
])('in %s columns the pools of a model are named whole, and its plans whole or not at all', (columns, line) => {
  expect(atWidth(columns, () => modelsText(example()))).toMatch(line)
})

it('in 80 columns the code of a refused request is whole, in the room of its tokens and cost', () => {
  const rowOf = (more: object) => requestRow(request(standing(LABEL), more), 80).text

  expect(rowOf({ status: 400, code: 'VALIDATION_ERROR' })).toMatch(/ {2}400 +212 ms {2}VALIDATION_ERROR +a-cust/)
  expect(rowOf({ status: 429, code: 'rate_limit_exceeded', type: 'plan_limit' })).toMatch(/ms {2}plan_limit +a-cust/)
})

it('the audit names accounts by label, and their ids only where there is room', () => {
  const at = (columns: number) =>
    atWidth(columns, () => auditTable([{ ...change, label: 'ada@example.com', action: 'mint', before: '' }]))

  expect(at(80)).toContain('ada@example.com')
  expect(at(80)).not.toContain('acct_')
  expect(at(200)).toMatch(/ada@example\.com {2}acct_9G7wJY0iLwq9uFOir78m/)
  expect(atWidth(80, () => auditTable([{ ...change, label: '' }]))).toContain('acct_9G7w')
})

it('the audit names an operator who signed in by label and id, so that no label reads like another operator', () => {
  const by = { by: 'acct_9G7wJY0iLwq9uFOir78m', by_label: 'operator ada@laptop' }

  expect(atWidth(200, () => auditTable([{ ...change, ...by }]))).toContain(
    'operator ada@laptop (acct_9G7wJY0iLwq9uFOir78m)',
  )
})

it('in 80 columns the line of a request has the pool that answered, whole, whatever the label', () => {
  const served = request(standing(LABEL), { asked: 'svc-auto', model: 'svc-core', pool: 'onprem-core' })
  const row = requestRow({ ...served, input_tokens: 7, output_tokens: 55, cost_nano_usd: nanoUsd(22_700) }, 80).text

  expect(row).toMatch(/ {2}a-cust… {2}svc-core {2}onprem-core$/)
  expect(widthOf(row)).toBeLessThanOrEqual(80)
})

it('the line of a request says what of its tokens was cached, where there is room', () => {
  const served = request(standing('ada'), { model: 'svc-core', pool: 'near', input_tokens: 900, output_tokens: 5 })
  const rowOf = (columns: number) => requestRow({ ...served, cached_tokens: 600 }, columns).text

  expect(rowOf(120)).toMatch(/900\+5 tok +ada {2}600 cached {2}svc-core/)
  expect(rowOf(60)).not.toContain('cached')
  expect(rowOf(60)).toContain('900+5 tok')
})
