import type { ShownRequest, ShownStanding } from '../../../../src/wire/admin/event.ts'

export const NOON = Date.parse('2026-11-21T12:00:00.000Z')

export const standing = (label: string, more: Partial<ShownStanding> = {}): ShownStanding => ({
  event: 'standing',
  at: new Date(NOON).toISOString(),
  account: `acct_${label}`,
  label,
  plan: 'pro',
  used_usd: '0',
  held_usd: '0',
  limit_usd: '20',
  reset: '2026-12-01T00:00:00.000Z',
  requests: 0,
  requests_limit: 120,
  tokens: 0,
  tokens_limit: 400_000,
  under_way: 0,
  limits: [],
  ...more,
})

export const request = (of: ShownStanding | null, more: Partial<ShownRequest> = {}): ShownRequest => ({
  event: 'request',
  request_id: 'req_1',
  at: new Date(NOON).toISOString(),
  method: 'POST',
  path: '/v1/chat/completions',
  status: 200,
  ms: 212,
  account: of?.account ?? null,
  asked: 'svc-core',
  model: 'svc-core',
  pool: 'onprem',
  usd: '0.5',
  standing: of,
  ...more,
})
