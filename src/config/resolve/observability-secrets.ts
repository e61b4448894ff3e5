import type { Report } from '../problem.ts'
import { isRefusal, type Refusal } from '../read/scalar.ts'
import { fetchSecret, refuse, type SecretPlace, TEXT } from '../read/secrets.ts'
import { isText, type MapNode, nodeAt } from '../read/tree.ts'
import { Secret } from '../settings.ts'
import type { SeeingSecrets } from './resolve.ts'

/** Whoever guesses it reads what the gateway does. */
const LEAST_CHARACTERS = 16

/** Fetches the token that reads metrics, and what the collector of traces is sent. No Problem shows what was fetched. */
export function readSeeingSecrets(root: MapNode, place: SecretPlace, report: Report): SeeingSecrets {
  const token = nodeAt(root, ['metrics', 'token'])
  const metrics = token && longEnough(fetchSecret(token, 'token', place))
  if (token && metrics !== undefined && isRefusal(metrics)) refuse(token, metrics, report)
  return {
    ...(metrics !== undefined && !isRefusal(metrics) && { metrics: new Secret(metrics) }),
    traces: readHeaders(root, place, report),
  }
}

function longEnough(token: string | Refusal | undefined): string | Refusal | undefined {
  if (token === undefined || isRefusal(token) || token.length >= LEAST_CHARACTERS) return token
  const says = `the token of metrics has fewer than ${LEAST_CHARACTERS} characters`
  return { rule: 'short-secret', says, hint: 'make one: openssl rand -base64 32' }
}

function readHeaders(root: MapNode, place: SecretPlace, report: Report): ReadonlyMap<string, Secret> {
  const headers = new Map<string, Secret>()
  const list = nodeAt(root, ['traces', 'headers'])
  for (const header of list?.is === 'list' ? list.items : []) {
    const [name, secret] = [nodeAt(header, ['name']), nodeAt(header, ['secret'])]
    if (!isText(name)) continue
    const value = fetchSecret(secret, 'secret', place, TEXT)
    if (headers.has(name.value.toLowerCase())) refuse(name, TWICE, report)
    else if (OURS.has(name.value.toLowerCase())) refuse(name, NOT_YOURS, report)
    else if (value !== undefined && isRefusal(value)) refuse(secret ?? header, value, report)
    else if (value !== undefined) headers.set(name.value.toLowerCase(), new Secret(value))
  }
  return headers
}

/** What the exporter itself says of a request. */
const OURS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'user-agent',
])
const NOT_YOURS: Refusal = { rule: 'bad-header', says: "this header is the exporter's own", hint: 'remove it' }
const TWICE: Refusal = { rule: 'duplicate-entry', says: 'this header is there twice', hint: 'remove one of them' }
