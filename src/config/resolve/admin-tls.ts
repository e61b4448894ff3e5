import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Refusal } from '../model/scalar.ts'
import { isText, type MapNode, nodeAt } from '../model/tree.ts'
import type { Report } from '../problem.ts'
import { PEM, readSecrets, refuse, type SecretPlace } from '../read/secrets.ts'
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
  checkPair(root, report)
  return found
}

const SECTION = ['server', 'admin_tls']
/** Each key after its certificate, which it must match. */
const HOLDS = { certificate: PEM, key: PEM, client_ca: PEM, fleet_ca: PEM, fleet_certificate: PEM, fleet_key: PEM }
/** The certificate of each key. */
const OF_KEY: Readonly<Record<string, string>> = { key: 'certificate', fleet_key: 'fleet_certificate' }
const ROLES = ['admins', 'support', 'viewers'] as const

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

function faultOf(field: keyof typeof HOLDS, secret: Secret, before: ReadonlyMap<string, Secret>): Refusal | undefined {
  const certified = OF_KEY[field]
  try {
    if (certified === undefined) return certificatesIn(secret.reveal()).length === 0 ? NO_CERTIFICATE : undefined
    const key = createPrivateKey(secret.reveal())
    const [own] = certificatesIn(before.get(certified)?.reveal() ?? '')
    return own && !own.checkPrivateKey(key) ? otherKey(certified) : undefined
  } catch {
    // The reason would be OpenSSL's, and of no use to the reader.
    return certified === undefined ? NO_CERTIFICATE : NO_KEY
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

/** A certificate is of use with its key alone. */
function checkPair(root: MapNode, report: Report): void {
  const [certificate, key] = ['fleet_certificate', 'fleet_key'].map(field => nodeAt(root, [...SECTION, field]))
  const alone = certificate && key ? undefined : (certificate ?? key)
  if (alone) refuse(alone, WITHOUT_OTHER, report)
}

const WITHOUT_OTHER: Refusal = {
  rule: 'bad-certificate',
  says: 'a certificate for other gateways and its key go together',
  hint: 'write both `fleet_certificate` and `fleet_key`, or neither',
}

const NO_CERTIFICATE: Refusal = {
  rule: 'bad-certificate',
  says: 'this is not a readable PEM certificate',
  hint: "start with -----BEGIN CERTIFICATE-----: the listener's own first, then its intermediates",
}

const NO_KEY: Refusal = {
  rule: 'bad-certificate',
  says: 'this is not a PEM private key without a password',
  hint: 'start with -----BEGIN PRIVATE KEY-----',
}

const otherKey = (certificate: string): Refusal => ({
  rule: 'bad-certificate',
  says: `this key does not belong to \`${certificate}\``,
  hint: 'renew both together: the previous pair stays in use until they match',
})

const WITHOUT_AUTHORITY: Refusal = {
  rule: 'operators-without-client-ca',
  says: 'these are names in client certificates, but no authority signs those',
  hint: 'write `client_ca: file:PATH`, or remove the names',
}

const WITHOUT_NAMES: Refusal = {
  rule: 'client-ca-without-operators',
  says: 'no client certificate would be accepted',
  hint: 'list the names of operators in `admins`, `support` or `viewers`, or remove `client_ca`',
}

const TWO_ROLES: Refusal = {
  rule: 'duplicate-entry',
  says: 'this name is listed already',
  hint: 'an operator has one role: remove it here or there',
}
