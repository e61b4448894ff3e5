import { expect } from 'vitest'
import { MOST_VALUES } from '../../../src/gateway/admission/label-cap.ts'
import { NO_VALUE, type UsageReport } from '../../../src/wire/admin/usage-report.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'

export const DECLARED = `labels:
  project: { from: [key, header X-Svc-Label-Project], values: [web, api], required: [plan:tight] }
  team: { from: [header x-team] }
`

/** A key on the plan pro with these labels, as an operator mints it. */
export async function mintLabelled(
  test: Pick<TestGateway, 'admin'>,
  account: string,
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  const minted = await fetch(`${test.admin}/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ account, plan: 'pro', labels }),
  })
  const { value, ...rest } = (await minted.json()) as { value?: string }
  if (value === undefined) throw new Error(JSON.stringify(rest))
  return value
}

/**
 * Sends the last values that a label of an account may have, and more, to gateways of one store in turn: these are recorded as
 * `other`, and the values that are there keep their names.
 */
export async function cappedValues(test: TestGateway, other: Pick<TestGateway, 'url'> = test): Promise<void> {
  const key = await test.key('pro', 'inventive')
  const send = async ({ url }: Pick<TestGateway, 'url'>, value: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-team': value }
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 })
    const answered = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    await answered.text()
    return answered.headers.get('x-request-id') ?? ''
  }
  const first = await send(test, 'v-0')
  const { labels } = test.gateway.store
  const { account = '' } = (await test.ledger()).find(({ requestId }) => requestId === first) ?? {}
  const more = Array.from({ length: MOST_VALUES - 3 }, (_, number) => `v-${number + 1}`)
  await Promise.all(more.map(value => labels.take({ account, label: 'team', value, most: MOST_VALUES })))

  const expected = new Map([[first, 'v-0']])
  for (const [gateway, value, recorded] of [
    [test, 'late-1', 'late-1'],
    [other, 'late-2', 'late-2'],
    [test, 'late-3', 'other'],
    [other, 'late-3', 'other'],
    [other, 'late-4', 'other'],
    [test, 'late-2', 'late-2'],
    [other, 'v-77', 'v-77'],
  ] as const)
    expected.set(await send(gateway, value), recorded)
  const rows = (await test.ledger()).filter(({ requestId }) => expected.has(requestId))
  expect(new Map(rows.map(row => [row.requestId, row.labels?.team]))).toEqual(expected)
}

/** Serves requests with and without labels, and compares every report by label with the rows. */
export async function labelledBooks(test: TestGateway): Promise<void> {
  const own = await mintLabelled(test, 'books', { project: 'web' })
  const plain = await test.key('pro', 'plain')
  for (const [key, headers] of [
    [own, { 'x-team': 'core' }],
    [plain, { 'x-svc-label-project': 'api', session_id: 'S-2' }],
    [plain, {}],
  ] as const)
    await fetch(`${test.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 }),
    }).then(response => response.text())
  const rows = (await test.ledger()).filter(({ kind }) => kind !== 'waste')
  const groups = {
    project: (row: (typeof rows)[number]) => row.labels?.project,
    team: (row: (typeof rows)[number]) => row.labels?.team,
    session: (row: (typeof rows)[number]) => row.session,
  }
  for (const [by, of] of Object.entries(groups)) {
    const expected = new Map<string, number>()
    for (const row of rows) expected.set(of(row) ?? NO_VALUE, (expected.get(of(row) ?? NO_VALUE) ?? 0) + row.cost)
    const report = await usage(test, by)
    expect(new Map(report.data.map(({ group, cost_nano_usd }) => [group, cost_nano_usd]))).toEqual(expected)
    const both = await usage(test, `${by},account`)
    expect(sumOf(both)).toBe(rows.reduce((sum, { cost }) => sum + cost, 0))
  }
  await customersBooks(test, plain)
}

/** Compares a customer's usage by label and the invoice with the account's rows. */
async function customersBooks(test: TestGateway, key: string): Promise<void> {
  const own = (await test.gateway.store.keys.list()).find(({ label }) => label === 'plain')?.account
  const [row] = (await test.ledger()).filter(({ account, labels }) => account === own && labels?.project === 'api')
  if (!row) throw new Error('no row has the label')
  const rows = (await test.ledger()).filter(({ account, kind }) => account === row.account && kind !== 'waste')
  const all = rows.reduce((sum, { cost }) => sum + cost, 0)
  const expected = { api: row.cost, [NO_VALUE]: all - row.cost }
  const read = async (url: string, token: string) =>
    (await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json()) as Split
  const month = new Date(row.admittedAt).toISOString().slice(0, 7)

  for (const split of [
    await read(`${test.url}/billing/usage?by_label=true`, key),
    await read(`${test.url}/billing/invoices?month=${month}`, key),
    await read(`${test.admin}/admin/invoice?account=${row.account}&month=${month}`, ADMIN_TOKEN),
  ]) {
    const [project] = split.by_label
    expect(project?.label).toBe('project')
    expect(Object.fromEntries(project?.values.map(({ name, cost_nano_usd }) => [name, cost_nano_usd]) ?? [])).toEqual(
      expected,
    )
  }
  const ownRequests = await read(`${test.url}/v1/requests?limit=10`, key)
  const csv = await fetch(`${test.admin}/admin/invoice?account=${row.account}&month=${month}&format=csv`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  expect(await csv.text()).toContain(',label,project=api,1,')

  const listed = await read(
    `${test.admin}/admin/requests?since=1d&account=${row.account}&label=project%3Dapi`,
    ADMIN_TOKEN,
  )
  expect(listed.data.map(({ request_id }) => request_id)).toEqual([row.requestId])
  const known = ownRequests.data.find(({ id }) => id === row.requestId)
  expect(known).toMatchObject({ labels: { project: 'api' }, session: row.session })
}

interface Split {
  readonly by_label: readonly {
    readonly label: string
    readonly values: readonly { readonly name: string; readonly cost_nano_usd: number }[]
  }[]
  readonly data: readonly { readonly request_id: string; readonly id?: string }[]
}

const sumOf = ({ data }: UsageReport): number => data.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0)

async function usage(test: Pick<TestGateway, 'admin'>, by: string): Promise<UsageReport> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  return (await (await fetch(`${test.admin}/admin/usage?by=${by}`, { headers })).json()) as UsageReport
}
