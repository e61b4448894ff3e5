import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Report } from '../problem.ts'
import type { Refusal } from '../read/scalar.ts'
import { PEM, readSecrets, refuse, type SecretPlace } from '../read/secrets.ts'
import { isText, type MapNode, nodeAt } from '../read/tree.ts'
import type { Secret } from '../settings.ts'

/** Fetches what `server.admin_tls` refers to, by field, and reports what the admin listener could not serve with. */
export function readAdminTls(root: MapNode, place: SecretPlace, report: Report): ReadonlyMap<string, Secret> {
  const found = new Map<string, Secret>()
  for (const [field, secret] of readSecrets(nodeAt(root, SECTION), HOLDS, place, report)) {
    // A stand-in is no certificate.
    const fault = place.standIn ? undefined : faultOf(field, secret, found)
    const node = nodeAt(root, [...SECTION, field])
    if (node && fault) refuse(node, fault, report)
    else found.set(field, secret)
  }
  checkNames(root, report)
  return found
}

const SECTION = ['server', 'admin_tls']
/** The key behind its certificate, which it must fit. */
const HOLDS = { certificate: PEM, key: PEM, client_ca: PEM }
const ROLES = ['admins', 'support', 'viewers'] as const

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

function faultOf(field: keyof typeof HOLDS, secret: Secret, before: ReadonlyMap<string, Secret>): Refusal | undefined {
  try {
    if (field !== 'key') return certificatesIn(secret.reveal()).length === 0 ? NO_CERTIFICATE : undefined
    const key = createPrivateKey(secret.reveal())
    const [own] = certificatesIn(before.get('certificate')?.reveal() ?? '')
    return own && !own.checkPrivateKey(key) ? OTHER_KEY : undefined
  } catch {
    // The reason would be OpenSSL's, and of no use to the reader.
    return field === 'key' ? NO_KEY : NO_CERTIFICATE
  }
}

/** The certificates of a PEM text, in their order. Throws where one of them is none. */
const certificatesIn = (text: string): readonly X509Certificate[] =>
  (text.match(BLOCK) ?? []).map(block => new X509Certificate(block))

/** Names say what the bearers of certificates may do, which only `client_ca` has them show. */
function checkNames(root: MapNode, report: Report): void {
  const section = nodeAt(root, SECTION)
  if (!section) return
  const lists = ROLES.map(role => nodeAt(section, [role]))
  const named = lists.find(list => list !== undefined)
  const authority = nodeAt(section, ['client_ca'])
  if (named && !authority) refuse(named, WITHOUT_AUTHORITY, report)
  if (authority && !named) refuse(authority, WITHOUT_NAMES, report)
  const names = lists.flatMap(list => (list?.is === 'list' ? list.items.filter(isText) : []))
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name.value)) refuse(name, TWO_ROLES, report)
    seen.add(name.value)
  }
}

const NO_CERTIFICATE: Refusal = {
  rule: 'bad-certificate',
  says: 'this holds no certificate as PEM that can be read',
  hint: 'it begins with -----BEGIN CERTIFICATE-----, the own one first, those that signed it behind',
}

const NO_KEY: Refusal = {
  rule: 'bad-certificate',
  says: 'this holds no private key as PEM that can be read without a password',
  hint: 'it begins with -----BEGIN PRIVATE KEY-----',
}

const OTHER_KEY: Refusal = {
  rule: 'bad-certificate',
  says: 'this key is not that of `certificate`',
  hint: 'renew both together: the one before serves on until they fit',
}

const WITHOUT_AUTHORITY: Refusal = {
  rule: 'operators-without-client-ca',
  says: 'these are names in certificates of clients, and nothing says who signs those',
  hint: 'write `client_ca: file:PATH`, or remove the names',
}

const WITHOUT_NAMES: Refusal = {
  rule: 'client-ca-without-operators',
  says: 'no certificate of a client would be let in',
  hint: 'list the names of operators in `admins`, `support` or `viewers`, or remove `client_ca`',
}

const TWO_ROLES: Refusal = {
  rule: 'duplicate-entry',
  says: 'this name is listed already',
  hint: 'an operator has one role: remove it here or there',
}
