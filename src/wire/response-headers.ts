/**
 * The longest value of every response header that the gateway sends, in characters. Proxies drop an answer whose head is
 * larger than their buffer (4 KB in nginx), and count that against the gateway. A header without a row is never sent:
 * `HeaderBounds.clip` throws.
 *
 * A name with `*` stands for the brand. The largest head is `every` with the groups of one of `HEADS`.
 */
export const HEADER_GROUPS = {
  every: {
    'x-request-id': 40,
    'access-control-allow-origin': 1,
    'access-control-expose-headers': 768,
    'content-type': 128,
    'content-length': 16,
    'cache-control': 64,
    vary: 64,
    connection: 10,
  },
  rate: {
    'x-ratelimit-limit-requests': 16,
    'x-ratelimit-remaining-requests': 16,
    'x-ratelimit-reset-requests': 16,
    'x-ratelimit-limit-tokens': 16,
    'x-ratelimit-remaining-tokens': 16,
    'x-ratelimit-reset-tokens': 16,
    'anthropic-ratelimit-requests-limit': 16,
    'anthropic-ratelimit-requests-remaining': 16,
    'anthropic-ratelimit-requests-reset': 24,
    'anthropic-ratelimit-tokens-limit': 16,
    'anthropic-ratelimit-tokens-remaining': 16,
    'anthropic-ratelimit-tokens-reset': 24,
    'anthropic-ratelimit-input-tokens-limit': 16,
    'anthropic-ratelimit-input-tokens-remaining': 16,
    'anthropic-ratelimit-input-tokens-reset': 24,
    'anthropic-ratelimit-output-tokens-limit': 16,
    'anthropic-ratelimit-output-tokens-remaining': 16,
    'anthropic-ratelimit-output-tokens-reset': 24,
    'request-id': 40,
  },
  answer: {
    'x-*-upstream': 64,
    'x-*-smart-route': 64,
    'x-*-queue-wait': 8,
    'x-*-max-tokens': 10,
    'x-*-quota-plan': 64,
    'x-*-quota-used': 20,
    'x-*-quota-limit': 20,
    'x-*-quota-reset': 24,
    'x-*-ignored-tools': 240,
    'x-*-ignored-fields': 240,
    'x-*-store': 8,
    'x-accel-buffering': 2,
  },
  /** A backend's headers, passed through with its body. */
  passed: {
    'content-language': 64,
    'content-disposition': 512,
  },
  encoded: { 'content-encoding': 64 },
  socket: {
    'sec-websocket-accept': 28,
    'sec-websocket-protocol': 64,
    upgrade: 9,
  },
  error: {
    'x-*-error-code': 32,
    'x-*-error-reason': 64,
    'retry-after': 16,
    'retry-after-ms': 16,
    'x-should-retry': 5,
    'www-authenticate': 16,
    allow: 64,
  },
  preflight: {
    'access-control-allow-methods': 64,
    'access-control-allow-headers': 1024,
    'access-control-max-age': 8,
  },
  redirect: { location: 512 },
  page: {
    'content-security-policy': 1536,
    'x-content-type-options': 7,
    'x-frame-options': 4,
    'referrer-policy': 16,
    'cross-origin-opener-policy': 32,
    'cross-origin-resource-policy': 16,
    'permissions-policy': 96,
    etag: 80,
  },
} as const

type Group = keyof typeof HEADER_GROUPS

/** The groups whose headers one answer may have together, beside `every`. */
export const HEADS: readonly (readonly Group[])[] = [
  ['rate', 'answer'],
  ['answer', 'passed', 'encoded'],
  ['answer', 'socket'],
  ['error', 'rate'],
  ['preflight'],
  ['redirect'],
  ['page', 'encoded'],
]

/** No head is larger, with its status line and what node adds. */
export const HEAD_BYTES_MAX = 3584

/** The bounds with the names that a brand gives to headers. */
export class HeaderBounds {
  readonly brand: string
  readonly #most: ReadonlyMap<string, number>

  constructor(brand: string) {
    this.brand = brand
    const rows = Object.values(HEADER_GROUPS).flatMap(group => Object.entries(group))
    this.#most = new Map(rows.map(([name, most]): [string, number] => [name.replace('*', brand), most]))
  }

  /** The value, cut to its bound. Throws where the header has none. */
  clip(name: string, value: string): string {
    const most = this.#most.get(name)
    if (most === undefined) throw new Error(`the response header ${name} has no bound`)
    return value.length <= most ? value : value.slice(0, most)
  }
}

/** The bounds of a brand; kept, since a gateway has one. */
export function headerBounds(brand: string): HeaderBounds {
  if (brand !== last.brand) last = new HeaderBounds(brand)
  return last
}

let last = new HeaderBounds('')

/** Joins as many names as fit into a header, and ends with `others` where some do not. */
export function joinWithin(names: readonly string[], most: number): string {
  const all = names.join(', ')
  if (all.length <= most) return all
  const end = all.lastIndexOf(', ', most - MORE.length)
  return end === -1 ? OTHERS : `${all.slice(0, end)}${MORE}`
}

const OTHERS = 'others'
const MORE = `, ${OTHERS}`
