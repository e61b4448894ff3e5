import { lookup } from 'node:dns/promises'
import { BlockList } from 'node:net'
import { request } from 'undici'
import { fetchProvider } from '../../adapters/identity/provider.ts'
import { isLoopback } from '../../config/model/formats.ts'
import type { IdentitySettings, Loaded, Settings } from '../../config/settings.ts'
import { hasStandIn } from '../../config/stand-ins.ts'
import { type Fault, type Finding, problem, warning } from '../../gateway/doctor/finding.ts'
import { hasOperators } from '../../gateway/operators/operators.ts'
import { parseUrl } from '../../kit/parse-url.ts'
import type { Millis } from '../../policy/config.ts'

/**
 * Whether people can sign in to the web console, as far as the identity provider shows it to those without an account.
 * Nothing where no sign-in is set up, and where the provider does not answer, which the check of identity says.
 */
export async function checkConsole({ settings }: Loaded, limit: Millis): Promise<readonly Finding[]> {
  const { identity } = settings
  const { issuer, consoleClientId: clientId } = identity ?? {}
  const urls = consolesOf(settings).filter(url => !hasStandIn(url))
  if (!identity || !issuer || !clientId || [issuer, clientId].some(hasStandIn) || urls.length === 0) return []
  const signal = AbortSignal.timeout(limit)
  const provider = await fetchProvider(issuer, signal).catch(() => undefined)
  if (!provider) return []
  const document = membersOf(provider.discovery)
  return Promise.all(urls.map(url => findingOf({ identity: { ...identity, issuer }, clientId, url, document, signal })))
}

/** Those that people sign in to: the customers', and that of operators where some are people of the provider. */
function consolesOf(settings: Settings): readonly string[] {
  const { server } = settings
  const [own, operators] = [`${server.publicUrl}/console`, `${server.adminUrl}/console`]
  const isOwn = (server.consoleUrl ?? own) === own
  const isForOperators = server.adminUrl !== undefined && hasOperators(settings)
  return server.console ? [...(isOwn ? [own] : []), ...(isForOperators ? [operators] : [])] : []
}

async function findingOf(asked: Asked): Promise<Finding> {
  const { url, clientId } = asked
  const common = { check: 'console', subject: url }
  for (const look of [secureFault, pkceFault, redirectFault, tokenFault, networkFault]) {
    const fault = await look(asked).catch(unanswered)
    if (fault) return { ...common, ...fault }
  }
  return { ...common, state: 'ok', text: `${url}, as ${clientId}` }
}

interface Asked {
  readonly identity: IdentitySettings & { readonly issuer: string }
  readonly clientId: string
  /** The console's URL. */
  readonly url: string
  /** The provider's discovery document. */
  readonly document: Members
  readonly signal: AbortSignal
}

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

const unanswered = (error: unknown): Fault =>
  warning(
    `the identity provider's answer to the console could not be checked: ${error instanceof Error ? error.message : error}`,
    'Run it again once the provider answers',
  )

/** Browsers give pages without TLS no cryptography, which PKCE needs. */
async function secureFault({ url }: Asked): Promise<Fault | undefined> {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || isLoopback(hostname) || hostname === 'localhost') return undefined
  return problem(
    'people cannot sign in to a console without TLS',
    'Use https:// in server.public_url, or server.admin_url',
  )
}

/** RFC 8414 2: what does not name it does not have it. */
async function pkceFault({ document }: Asked): Promise<Fault | undefined> {
  const methods = document.code_challenge_methods_supported
  if (Array.isArray(methods) && methods.includes('S256')) return undefined
  if (Array.isArray(methods))
    return problem(
      'the identity provider does not support PKCE with S256',
      'Enable it there: the console uses nothing else',
    )
  return warning('the identity provider does not announce whether it supports PKCE with S256', 'Try a sign-in')
}

/** A provider shows an error in place of sending people to an address that the client did not register (RFC 6749 3.1.2.4). */
async function redirectFault({ identity, clientId, url, document, signal }: Asked): Promise<Fault | undefined> {
  const endpoint = urlIn(document, 'authorization_endpoint')
  if (!endpoint) return problem('the identity provider names no authorization endpoint', 'Is the issuer right?')
  const redirect = `${url}/callback`
  const asks = {
    ...{ client_id: clientId, redirect_uri: redirect, response_type: 'code', scope: 'openid', prompt: 'none' },
    // Its verifier is not known, so that no token can come of it.
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    ...{ state: 'doctor', nonce: 'doctor', resource: identity.audience },
  }
  for (const [name, value] of Object.entries(asks)) endpoint.searchParams.set(name, value)
  const { statusCode, headers, body } = await request(endpoint, { signal, reset: true })
  await body.dump()
  if (statusCode < 400 || statusCode >= 500 || String(headers.location ?? '').startsWith(redirect)) return undefined
  return problem(
    `the identity provider refuses the client ${clientId} with ${redirect}: ${statusCode}`,
    `Register ${clientId} there as a public client with the code flow and this redirect URI`,
  )
}

/** A browser gives the page no answer of the token endpoint that does not name its origin. A code that is none shows it. */
async function tokenFault({ clientId, url, document, signal }: Asked): Promise<Fault | undefined> {
  const endpoint = urlIn(document, 'token_endpoint')
  if (!endpoint) return problem('the identity provider names no token endpoint', 'Is the issuer right?')
  const { origin } = new URL(url)
  const form = {
    grant_type: 'authorization_code',
    code: 'doctor',
    redirect_uri: `${url}/callback`,
    client_id: clientId,
  }
  const { headers, body } = await request(endpoint, {
    method: 'POST',
    headers: { origin, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...form, code_verifier: 'd'.repeat(43) }).toString(),
    signal,
    reset: true,
  })
  const text = await body.text()
  if (text.slice(0, 10_000).includes('"invalid_client"'))
    return problem(
      `the identity provider does not know a public client ${clientId}`,
      'Register it there without a secret, with the code flow and PKCE',
    )
  const allowed = headers['access-control-allow-origin']
  if (allowed === '*' || allowed === origin) return undefined
  return problem(
    `the token endpoint of the identity provider rejects pages from ${origin}`,
    `Allow the origin ${origin} there (CORS) for the client ${clientId}`,
  )
}

/** Browsers ask people before a page of the internet may call a private network (Local Network Access), or refuse. */
async function networkFault({ identity, url, signal }: Asked): Promise<Fault | undefined> {
  const isPrivate = async (address: string) => {
    const found = await lookup(new URL(address).hostname.replace(/^\[(.*)\]$/, '$1'), { all: true })
    return found.some(each => PRIVATE.check(each.address, each.family === 6 ? 'ipv6' : 'ipv4'))
  }
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const both = Promise.all([isPrivate(url), isPrivate(identity.issuer)])
  const [page, provider] = await Promise.race([both, late]).catch(() => [true, true])
  if (page || !provider) return undefined
  return warning(
    'the console is public, and the identity provider is on a private network',
    'Browsers prompt, or refuse, before a public page may call a private address: put both on the same side',
  )
}

function urlIn(document: Members, name: string): URL | undefined {
  const written = document[name]
  return typeof written === 'string' ? parseUrl(written) : undefined
}

const PRIVATE = new BlockList()
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, bits)
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6')
