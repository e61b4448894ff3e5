import { isLoopback } from '../config/model/formats.ts'
import { parseUrl } from '../kit/parse-url.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import { ask as askOver } from './http.ts'

/** An identity provider, as far as signing in goes. */
export interface Issuer {
  readonly issuer: string
  readonly token: URL
  /** RFC 8628. */
  readonly device?: URL
  /** RFC 7009. */
  readonly revocation?: URL
  readonly scopes: readonly string[]
}

/** Reads the provider's metadata. OIDC Discovery 4. */
export async function discover(issuer: string): Promise<Issuer> {
  safeUrl(issuer, 'the issuer')
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { status, body } = await ask(url)
  if (status !== 200) throw unreachable(url, `its metadata answer ${status}`)
  // Otherwise the server of this document could obtain tokens of another issuer.
  if (body.issuer !== issuer) {
    throw new CommandFailed(`✗ ${url.origin} is another issuer: ${printable(String(body.issuer))}`)
  }
  const { token_endpoint, device_authorization_endpoint, revocation_endpoint, scopes_supported } = body
  return {
    issuer,
    token: safeUrl(token_endpoint, 'its token endpoint'),
    ...(device_authorization_endpoint !== undefined && {
      device: safeUrl(device_authorization_endpoint, 'its device endpoint'),
    }),
    ...(revocation_endpoint !== undefined && { revocation: safeUrl(revocation_endpoint, 'its revocation endpoint') }),
    scopes: Array.isArray(scopes_supported) ? scopes_supported.map(String) : [],
  }
}

/** The tokens of a provider. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly idToken?: string
}

/** The subject of an access token. */
export interface Subject {
  readonly issuer: string
  readonly subject: string
  readonly expiresAt: number
}

/** The tokens of a token response. RFC 6749 5.1. */
export function tokensOf({ access_token, token_type, refresh_token, id_token }: JsonObject): Tokens {
  if (typeof access_token !== 'string' || !/^bearer$/i.test(String(token_type))) {
    throw new CommandFailed('✗ the identity provider issued no bearer token')
  }
  return {
    accessToken: access_token,
    ...(typeof refresh_token === 'string' && { refreshToken: refresh_token }),
    ...(typeof id_token === 'string' && { idToken: id_token }),
  }
}

/** Reads an access token that came from its issuer itself. Rejects one that the gateway would refuse anyway. */
export function readAccess(token: string, issuer: string, gateway: string): Subject {
  const { iss, sub, aud, exp } = claimsOf(token)
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (iss !== issuer || typeof sub !== 'string' || typeof exp !== 'number' || !audiences.includes(gateway)) {
    throw new CommandFailed(
      `✗ ${issuer} issued an access token for another audience than ${gateway}: configure its client to issue JWT access tokens for this audience`,
    )
  }
  return { issuer, subject: sub, expiresAt: exp * 1000 }
}

/** The account's label: the configured claim, else a usual one, else the subject. */
export function labelOf({ accessToken, idToken }: Tokens, claim: string | undefined): string {
  const claims = [claimsOf(accessToken), claimsOf(idToken ?? '')]
  const names = [...(claim ? [claim] : []), 'email', 'preferred_username', 'name', 'sub']
  const found = names
    .flatMap(name => claims.map(of => of[name]))
    .find(value => typeof value === 'string' && value !== '')
  return printable(String(found))
}

/** The claims of a JWT, unverified: empty for anything else. */
function claimsOf(token: string): JsonObject {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return isObject(claims) ? claims : {}
  } catch {
    // An opaque token says nothing.
    return {}
  }
}

/** The answer of an identity provider or a gateway; `body` is empty when it was no JSON object. */
export interface Answer {
  readonly status: number
  readonly body: JsonObject
}

export interface Question {
  /** Sent as a form by POST; else it is a GET. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as JSON by POST. */
  readonly json?: object
  readonly token?: string
}

/** An address that tokens may be sent to: https, or http within this machine. */
export function safeUrl(text: unknown, what: string): URL {
  const url = typeof text === 'string' ? parseUrl(text) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new CommandFailed(`✗ ${what} must be https, or http on loopback: ${printable(String(text))}`)
}

const TIMEOUT_MS = 10_000
const BYTES_MAX = 512 * 1024

/** Asks once, and follows no redirects. Rejects with exit code 3 when no answer comes. */
export async function ask(url: URL, { form, json, token }: Question = {}): Promise<Answer> {
  const body = form ? new URLSearchParams(form).toString() : json && JSON.stringify(json)
  try {
    const answer = await askOver(url, {
      method: body === undefined ? 'GET' : 'POST',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        accept: 'application/json',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(json && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body }),
    })
    return { status: answer.statusCode ?? 0, body: await readObject(answer) }
  } catch (error) {
    throw unreachable(url, error instanceof Error ? error.message : String(error))
  }
}

/** The failure of a server that does not answer, or whose answer cannot be read. */
export const unreachable = ({ origin }: URL, problem: string): CommandFailed =>
  new CommandFailed(`✗ ${origin} cannot be reached: ${printable(problem)}`, exitCodes.unreachable)

/** A text from elsewhere on one line of the terminal, without anything that would steer it. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ').slice(0, 200)

async function readObject(body: AsyncIterable<Buffer>): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > BYTES_MAX) throw new Error(`its answer is larger than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return isObject(value) ? value : {}
  } catch {
    // An error page of a proxy, or nothing; the status says enough.
    return {}
  }
}
