import type { ConfigFile } from '../file.ts'
import { HEADER_VALUE } from '../model/formats.ts'
import { isRefusal, type Refusal } from '../model/scalar.ts'
import { store } from '../model/store-address.ts'
import { isText, keyAt, type MapNode, nodeAt } from '../model/tree.ts'
import type { Report } from '../problem.ts'
import { fetchSecret, refuse, type SecretPlace } from '../read/secrets.ts'
import { Secret } from '../settings.ts'
import type { ObservabilitySecrets } from './resolve.ts'

/** Reads the guest secrets, newest first: the keys of guests are derived from them. Empty where the gateway has to make it itself. */
export function readGuestSecrets(
  root: MapNode,
  main: ConfigFile | undefined,
  place: SecretPlace,
  report: Report,
): readonly Secret[] {
  const at = keyAt(root, ['guests'])
  if (!at) return []
  const fetch = (field: string) => {
    const node = nodeAt(root, ['guests', field])
    return { written: node !== undefined, span: node?.span ?? at, value: fetchSecret(node, field, place) }
  }
  const former = fetch('former_secret')
  const named = fetch('secret')
  const current =
    named.written || !place.env[VARIABLE] ? named : { written: true, span: at, value: place.env[VARIABLE] }
  const secrets = [current, former].flatMap(({ span, value }) => {
    const usable =
      value === undefined
        ? []
        : longEnough(value, LEAST_GUEST_CHARACTERS, span === at ? VARIABLE : 'the secret of guests')
    if (!isRefusal(usable)) return usable
    refuse({ span }, usable, report)
    return []
  })
  if (secrets.length === 2 && secrets[0] === secrets[1]) refuse(former, FORMER_EQUALS_SECRET, report)
  if (!current.written && former.written) refuse(former, FORMER_WITHOUT_SECRET, report)
  else if (!current.written && isShared(main)) refuse({ span: at }, SHARED_STORE_WITHOUT_SECRET, report)
  return secrets.map(secret => new Secret(secret))
}

/** A person who guesses the secret has the key of every device. */
const LEAST_GUEST_CHARACTERS = 32
/** Where the secret is when the file does not say. */
const VARIABLE = 'SVC_GUEST_SECRET'

const isShared = (main: ConfigFile | undefined): boolean =>
  main?.store !== undefined && store.read(main.store)?.kind === 'redis'

/** Keys that one gateway derives, the others must derive too. */
const SHARED_STORE_WITHOUT_SECRET: Refusal = {
  rule: 'no-guest-secret',
  says: 'guests on a shared store need a secret',
  hint: `add \`secret: \${VARIABLE}\` or \`secret: file:PATH\`, or set ${VARIABLE}: every gateway needs the same`,
}

const FORMER_WITHOUT_SECRET: Refusal = {
  rule: 'no-guest-secret',
  says: '`former_secret` needs the `secret` that replaced it',
  hint: `add \`secret\`, or set ${VARIABLE}`,
}

const FORMER_EQUALS_SECRET: Refusal = {
  rule: 'duplicate-entry',
  says: '`former_secret` is the same as `secret`',
  hint: 'remove it until you change the secret',
}

/** Reads the secret that agent tokens are signed with: that of the file, else of the environment. Undefined where neither names one. */
export function readAgentSecret(
  root: MapNode,
  main: ConfigFile | undefined,
  place: SecretPlace,
  report: Report,
): Secret | undefined {
  const at = keyAt(root, ['identity'])
  if (!at) return undefined
  const node = nodeAt(root, ['identity', 'agent_secret'])
  const fetched = node ? fetchSecret(node, 'agent_secret', place) : place.env[AGENT_VARIABLE] || undefined
  const login = keyAt(root, ['identity', 'claude_login'])
  if (!node && fetched === undefined && login && isShared(main)) refuse({ span: login }, LOGIN_WITHOUT_SECRET, report)
  if (fetched === undefined) return undefined
  const secret = longEnough(fetched, LEAST_AGENT_CHARACTERS, node ? 'the secret of agent tokens' : AGENT_VARIABLE)
  if (!isRefusal(secret)) return new Secret(secret)
  refuse(node ?? { span: at }, secret, report)
  return undefined
}

/** A person who guesses the secret signs tokens for every account. */
const LEAST_AGENT_CHARACTERS = 32
const AGENT_VARIABLE = 'SVC_AGENT_SECRET'

/** A gateway has to take tokens that another one issued. */
const LOGIN_WITHOUT_SECRET: Refusal = {
  rule: 'no-agent-secret',
  says: 'sign-ins from Claude Code on a shared store need a secret',
  hint: `add \`agent_secret: \${VARIABLE}\`, or set ${AGENT_VARIABLE}: every gateway needs the same`,
}

/** Reads the keys that responses are encrypted with, newest first. Empty where no responses are kept. */
export function readResponseKeys(root: MapNode, place: SecretPlace, report: Report): readonly Secret[] {
  const [key, former] = ['key', 'former_key'].map(field => {
    const node = nodeAt(root, ['responses', field])
    const fetched = node && fetchSecret(node, field, place)
    const value = fetched === undefined || isRefusal(fetched) || KEY.test(fetched) ? fetched : NO_KEY
    if (node && value !== undefined && isRefusal(value)) refuse(node, value, report)
    return { node, text: value === undefined || isRefusal(value) ? undefined : value }
  })
  if (former?.node && former.text !== undefined && former.text === key?.text)
    refuse(former.node, FORMER_EQUALS_KEY, report)
  return [key, former].flatMap(each => (each?.text === undefined ? [] : [new Secret(each.text)]))
}

/** 32 bytes in hex, or in base64 of either alphabet. */
const KEY = /^(?:[0-9A-Fa-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/

const NO_KEY: Refusal = {
  rule: 'bad-key',
  says: 'the key of responses is not 32 bytes in base64 or hex',
  hint: 'make one: openssl rand -base64 32',
}

const FORMER_EQUALS_KEY: Refusal = {
  rule: 'duplicate-entry',
  says: '`former_key` is the same as `key`',
  hint: 'remove it until you change the key',
}

/** Fetches the admin token, where the files have one. */
export function readAdminToken(root: MapNode, place: SecretPlace, report: Report): Secret | undefined {
  return readToken(root, ['server', 'admin_token'], 'the admin token', place, report)
}

/** Fetches the secret that the identity provider sends, where it deactivates people. */
export function readScimSecret(root: MapNode, place: SecretPlace, report: Report): Secret | undefined {
  return readToken(root, ['identity', 'scim', 'secret'], 'the secret of SCIM', place, report, LEAST_SCIM_CHARACTERS)
}

/** Its listener is public, and a person who guesses it freezes everybody. */
const LEAST_SCIM_CHARACTERS = 32

/** Fetches the token that reads metrics, and what the collectors are sent. No Problem shows what was fetched. */
export function readObservabilitySecrets(root: MapNode, place: SecretPlace, report: Report): ObservabilitySecrets {
  const metrics = readToken(root, ['metrics', 'token'], 'the token of metrics', place, report)
  return {
    ...(metrics && { metrics }),
    metricsHeaders: readHeaders(root, ['metrics', 'otlp', 'headers'], place, report),
    traces: readHeaders(root, ['traces', 'headers'], place, report),
  }
}

/** The token at a path, which is called so in a Problem. */
function readToken(
  root: MapNode,
  path: readonly string[],
  what: string,
  place: SecretPlace,
  report: Report,
  least = LEAST_TOKEN_CHARACTERS,
): Secret | undefined {
  const node = nodeAt(root, path)
  const fetched = fetchSecret(node, path.at(-1) ?? '', place)
  if (!node || fetched === undefined) return undefined
  const token = longEnough(fetched, least, what)
  if (!isRefusal(token)) return new Secret(token)
  refuse(node, token, report)
  return undefined
}

/** A person who guesses a token reads what the gateway does, or is an operator. */
const LEAST_TOKEN_CHARACTERS = 16

function longEnough(secret: string | Refusal, least: number, what: string): string | Refusal {
  if (isRefusal(secret) || secret.length >= least) return secret
  return {
    rule: 'short-secret',
    says: `${what} has fewer than ${least} characters`,
    hint: 'make one: openssl rand -base64 32',
  }
}

function readHeaders(
  root: MapNode,
  path: readonly string[],
  place: SecretPlace,
  report: Report,
): ReadonlyMap<string, Secret> {
  const headers = new Map<string, Secret>()
  const list = nodeAt(root, path)
  for (const header of list?.is === 'list' ? list.items : []) {
    const [name, secret] = [nodeAt(header, ['name']), nodeAt(header, ['secret'])]
    if (!isText(name)) continue
    const value = fetchSecret(secret, 'secret', place, HEADER_VALUE)
    if (headers.has(name.value.toLowerCase())) refuse(name, DUPLICATE_HEADER, report)
    else if (EXPORTER_HEADERS.has(name.value.toLowerCase())) refuse(name, RESERVED_HEADER, report)
    else if (value !== undefined && isRefusal(value)) refuse(secret ?? header, value, report)
    else if (value !== undefined) headers.set(name.value.toLowerCase(), new Secret(value))
  }
  return headers
}

/** Headers that the exporter itself sets. */
const EXPORTER_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'user-agent',
])
const RESERVED_HEADER: Refusal = { rule: 'bad-header', says: "this header is the exporter's own", hint: 'remove it' }
const DUPLICATE_HEADER: Refusal = {
  rule: 'duplicate-entry',
  says: 'this header appears twice',
  hint: 'remove one of them',
}
