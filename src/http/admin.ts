import { LABEL, mintKey, revokeKey } from '../gateway/accounts.ts'
import { invalid, isDenial } from '../wire/body.ts'
import { shownKey } from '../wire/key.ts'
import { readValid, validator } from '../wire/validate.ts'
import { readBody } from './body.ts'
import type { HttpCall } from './call.ts'
import type { App, Endpoint } from './endpoint.ts'
import { showReady } from './public.ts'
import { exportLedger, showUsage } from './usage.ts'

/** What operators may call, on the admin listener alone. */
export const adminEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/healthz', who: 'anyone', run: (_app, call) => call.json(200, { status: 'alive' }) },
  { method: 'GET', path: '/readyz', who: 'anyone', run: showReady },
  { method: 'GET', path: '/admin/keys', who: 'operator', run: listKeys },
  { method: 'POST', path: '/admin/keys', who: 'operator', run: mint },
  { method: 'POST', path: '/admin/keys/revoke', who: 'operator', run: revoke },
  { method: 'GET', path: '/admin/usage', who: 'operator', run: showUsage },
  { method: 'GET', path: '/admin/ledger', who: 'operator', run: exportLedger },
]

const MAX_BODY_BYTES = 65_536
const name = { type: 'string', minLength: 1, maxLength: 200 }
const validateMint = validator({
  type: 'object',
  required: ['account', 'plan'],
  properties: { account: { type: 'string', pattern: LABEL, description: 'must be one line of text' }, plan: name },
  additionalProperties: false,
})
const validateRevoke = validator({
  type: 'object',
  required: ['key'],
  properties: { key: name },
  additionalProperties: false,
})

async function listKeys(app: App, call: HttpCall): Promise<void> {
  call.json(200, { object: 'list', data: (await app.store.listKeys()).map(shownKey) })
}

async function mint(app: App, call: HttpCall): Promise<void> {
  const body = await readFields(call, validateMint)
  if (isDenial(body)) return call.deny(body)
  const { account = '', plan = '' } = body
  if (!app.config.plans.has(plan))
    return call.deny(invalid('plan', `no such plan \`${plan}\`; there are ${[...app.config.plans.keys()].join(', ')}`))
  const minted = await mintKey(app.store, app.random, { brand: app.settings.brand, label: account, plan })
  call.json(200, {
    ...shownKey(minted.key),
    existing: minted.outcome === 'exists',
    base_url: `${app.settings.server.publicUrl}/v1`,
    ...(minted.value && { value: minted.value }),
  })
}

async function revoke(app: App, call: HttpCall): Promise<void> {
  const body = await readFields(call, validateRevoke)
  if (isDenial(body)) return call.deny(body)
  const revoked = await revokeKey(app.store, app.settings.brand, body.key ?? '')
  if (revoked === 'unknown') call.deny({ code: 'NOT_FOUND', problem: 'No active key has this value.' })
  else if (revoked === 'ambiguous') call.deny(invalid('key', 'several active keys have this mask; give the full value'))
  else call.json(200, { ...shownKey(revoked), revoked: true })
}

/** A body of text fields. */
async function readFields(call: HttpCall, validate: ReturnType<typeof validator>) {
  const bytes = await readBody(call.request, MAX_BODY_BYTES)
  if (isDenial(bytes)) return bytes
  const parsed = readValid(bytes, validate)
  if (isDenial(parsed)) return parsed
  const { body } = parsed
  const fields: Partial<Record<string, string>> = {}
  for (const [field, value] of Object.entries(body)) fields[field] = String(value)
  return fields
}
