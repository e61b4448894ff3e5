import { rateHeaderNames } from '../../wire/quota-headers.ts'
import { HEADER_GROUPS } from '../../wire/response-headers.ts'
import type { HttpCall } from '../listener/call.ts'

/** Lets pages of any origin read an answer: a key is sent by the page, never added by the browser as a cookie is. */
export const openToPages = (brand: string): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed(brand),
})

/** Answers OPTIONS: what a page may send to a path that takes these methods. */
export function preflight(call: HttpCall, methods: readonly string[]): void {
  const asked = String(call.request.headers['access-control-request-headers'] ?? '')
  call.empty(204, {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': allowedHeaders(asked).join(', '),
    'access-control-max-age': String(MAX_AGE_S),
    vary: 'access-control-request-headers',
  })
}

/** Browsers keep the answer for two hours at most. */
const MAX_AGE_S = 7200
/** RFC 9110 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** Whatever a page asks for, since SDKs send headers of their own; `*` would leave authorization out. Names beyond the bound are left out. */
function allowedHeaders(asked: string): string[] {
  const names = asked.split(',').map(name => name.trim().toLowerCase())
  const allowed: string[] = []
  let length = 0
  for (const name of new Set(['authorization', 'content-type', ...names.filter(name => TOKEN.test(name))])) {
    length += name.length + 2
    if (length > HEADER_GROUPS.preflight['access-control-allow-headers']) break
    allowed.push(name)
  }
  return allowed
}

/** The headers that a page could not read otherwise. */
const exposed = (brand: string): string =>
  [
    'x-request-id',
    'request-id',
    'retry-after',
    'retry-after-ms',
    'x-should-retry',
    ...rateHeaderNames,
    ...[
      'error-code',
      'error-reason',
      'upstream',
      'quota-plan',
      'quota-used',
      'quota-limit',
      'quota-reset',
      'max-tokens',
      'smart-route',
      'queue-wait',
      'store',
      'ignored-tools',
      'ignored-fields',
    ].map(name => `x-${brand}-${name}`),
  ].join(', ')
