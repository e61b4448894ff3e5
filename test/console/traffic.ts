import { vi } from 'vitest'
import type { Site } from './site.ts'

/** Keys by their accounts. */
const keys = new WeakMap<Site, Map<string, string>>()

/** A key of the account with this label, made by an operator the first time. */
export async function keyOf(site: Site, label: string, plan: string): Promise<string> {
  const known = keys.get(site) ?? new Map<string, string>()
  keys.set(site, known)
  const found = known.get(label)
  if (found !== undefined) return found
  const { value } = await askAs(site, '/admin/keys', { account: label, plan })
  known.set(label, String(value))
  return String(value)
}

/** Asks the admin API as the holder of its token. */
export async function askAs(
  { admin, adminToken }: Site,
  path: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  // A busy machine may leave Redis no processor for as long as the gateway waits for it: a moment later it answers.
  return vi.waitFor(
    async () => {
      const response = await fetch(admin + path, init)
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as Readonly<Record<string, unknown>>
    },
    { timeout: 60_000, interval: 500 },
  )
}

/** Sends a chat, and reads its answer; resolves with the status. */
export async function chatAs({ url }: Site, key: string, model?: string, content = 'Hi'): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...(model !== undefined && { model }), messages: [{ role: 'user', content }] }),
  })
  await response.text()
  return response.status
}
