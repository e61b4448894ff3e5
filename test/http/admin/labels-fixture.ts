import { expect } from 'vitest'
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
}

const sumOf = ({ data }: UsageReport): number => data.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0)

async function usage(test: Pick<TestGateway, 'admin'>, by: string): Promise<UsageReport> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  return (await (await fetch(`${test.admin}/admin/usage?by=${by}`, { headers })).json()) as UsageReport
}
