import { apart } from './names.ts'
import type { Section } from './section.ts'

/** The headers of a section that a pool can send. The others are refused. */
export function headersIn(section: Section): readonly (readonly [name: string, text: string])[] {
  const seen = new Set<string>()
  const sent = section.texts().filter(([name]) => {
    const plain = name.toLowerCase()
    const why = seen.has(plain) ? 'it appears twice: header names ignore case' : whyNot(plain)
    seen.add(plain)
    if (why !== undefined) section.refuse(name, why)
    return why === undefined
  })
  return sent.map(([name, text]) => [name, apart(text, section.pathOf(name)) ?? text])
}

function whyNot(name: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) return 'it is not a header name, which has letters, digits and dashes'
  if (KEYS.has(name)) return 'it has a key: use key of the pool, and auth if it is not a bearer token'
  return OWN.has(name) ? 'the gateway sends its own' : undefined
}

const KEYS: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'api-key'])
const OWN: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding', 'accept', 'accept-encoding'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect', 'proxy-authenticate', 'proxy-authorization'],
  ...['proxy-connection', 'x-request-id', 'traceparent', 'tracestate'],
])
