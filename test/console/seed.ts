import type { Site } from './site.ts'

/** A month of what clients and operators did on a gateway whose clock is set. */
export interface Seeded {
  /** Ids of accounts by their labels. */
  readonly accounts: ReadonlyMap<string, string>
  /** An account whose label is hostile. */
  readonly hostile: string
}

/** Markup, letters that are written from right to left, and a word that no line holds. */
export const HOSTILE = `<img src=x onerror=alert(1)> \u05d0\u05d1 ${'x'.repeat(120)}`

/** The clock of a gateway, which a test moves. */
export interface SetClock {
  /** So long before now. */
  behindMs: number
  readonly now: () => number
}

export const setClock = (): SetClock => {
  const clock = { behindMs: 0, now: () => Date.now() - clock.behindMs }
  return clock
}

const DAY_MS = 86_400_000

/** An operator's call to the site. */
export async function operate(site: Site, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${site.admin}/admin/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${site.adminToken}`,
      'content-type': 'application/json',
      'x-svcctl-as': 'ada@desk',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

/** Requests on each of 30 days, accounts of all kinds, three revisions and a few changes. */
export async function seed(site: Site, clock: SetClock): Promise<Seeded> {
  clock.behindMs = 29 * DAY_MS
  const keys = new Map<string, string>()
  const accounts = new Map<string, string>()
  const labels = [
    'ada@example.com',
    'bob@example.com',
    'ci@acme.example',
    'batch',
    'eve@acme.example',
    'lab',
    'zoe@example.com',
  ]
  for (const label of labels) {
    const minted = await operate(site, 'keys', { account: label, plan: label === 'bob@example.com' ? 'free' : 'pro' })
    keys.set(label, String(minted.value))
    accounts.set(label, String(minted.account))
  }
  const chat = async (key: string, model: string) => {
    const response = await fetch(`${site.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    await response.text()
  }
  for (let day = 29; day >= 0; day--) {
    clock.behindMs = day * DAY_MS
    for (const [at, label] of labels.entries())
      for (let count = 0; count <= (day * 7 + at * 5) % 4; count++)
        await chat(keys.get(label) ?? '', (day + at + count) % 3 === 0 ? 'svc-pro' : 'svc-core')
  }
  const hostile = await operate(site, 'keys', { account: HOSTILE, plan: 'pro' })
  const id = (label: string) => accounts.get(label) ?? ''
  await operate(site, 'keys', { account: id('ada@example.com'), name: 'ci', expires_in: '90d' })
  await operate(site, 'accounts/grant', { account: id('ada@example.com'), usd: '12.50' })
  await operate(site, 'accounts/limit', {
    account: id('ada@example.com'),
    limit: { measure: 'usd', most: 5_000_000_000, per: 'day' },
  })
  await operate(site, 'accounts/org', { account: id('ci@acme.example'), org: 'org:acme' })
  await operate(site, 'accounts/org', { account: id('eve@acme.example'), org: 'org:acme' })
  await operate(site, 'accounts/overage', { account: id('batch'), overage: { cap_usd: '25' } })
  await operate(site, 'accounts/freeze', { account: id('lab') })
  await operate(site, 'accounts/plan', { account: id('zoe@example.com'), plan: 'free' })
  await site.reload(yaml => yaml.replace('rpm: 120', 'rpm: 100').replace('output: 2.4', 'output: 2'))
  await site.reload(yaml =>
    yaml
      .replace('rpm: 120', 'rpm: 240')
      .replace('output: 2.4', 'output: 2')
      .replace('per_day: 5000', 'per_day: 4000')
      .replace('  contact: mailto:operator@example.com\n', ''),
  )
  return { accounts, hostile: String(hostile.account) }
}
