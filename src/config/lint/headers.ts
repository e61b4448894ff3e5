import { BETA_DIALECTS } from '../../policy/backend-dialects.ts'
import type { PoolSection } from '../file.ts'
import { isReference } from '../model/formats.ts'
import type { ProblemText, Say } from '../problem.ts'
import { keyHeaderOf } from '../resolve/address.ts'

/** Reports what cannot work of the headers that a pool is sent. */
export function lintHeaders(name: string, pool: PoolSection, say: Say): void {
  lintAuth(name, pool, say)
  const seen = new Set<string>()
  for (const [header, value] of Object.entries(pool.headers ?? {})) {
    const isDouble = seen.has(header.toLowerCase())
    const problem = isDouble ? doubled(header) : problemOf(pool, header, value)
    if (problem) say(['headers', header], 'error', problem.rule, problem.message, problem.hint)
    seen.add(header.toLowerCase())
  }
  if (!pool.betas || pool.speaks?.some(speech => BETA_DIALECTS.has(speech))) return
  const dialects = [...BETA_DIALECTS.keys()].map(dialect => `\`${dialect}\``).join(' or ')
  const message = `pool \`${name}\` has \`betas\`, but does not speak ${dialects}`
  say(['betas'], 'error', 'needs-messages', message, 'add it to `speaks`, or remove `betas`')
}

function lintAuth(name: string, { auth, key }: PoolSection, say: Say): void {
  if (auth === undefined) return
  if (key === undefined) {
    const message = `pool \`${name}\` has \`auth\`, but no \`key\``
    say(['auth'], 'error', 'needs-key', message, 'add `key`, or remove it')
  }
  if (typeof auth !== 'object' || !OWN.has(auth.header.toLowerCase())) return
  const { rule, message } = own(auth.header)
  say(['auth', 'header'], 'error', rule, message, 'take another')
}

function problemOf(pool: PoolSection, header: string, value: string): Required<ProblemText> | undefined {
  const name = header.toLowerCase()
  if (OWN.has(name)) return own(header)
  if (pool.key !== undefined && name === keyHeaderOf(pool))
    return {
      rule: 'bad-header',
      message: `\`${header}\` already carries the pool's key`,
      hint: 'remove it, or the `key`',
    }
  if (name === 'authorization') return AUTHORIZATION
  if (!SECRET.test(name) || isReference(value)) return undefined
  const hint = `write \${VARIABLE} or file:PATH, and keep the secret itself out of the file`
  return { rule: 'plain-secret', message: `\`${header}\` is not a reference to a secret`, hint }
}

const own = (header: string) => ({
  ...{ rule: 'bad-header', message: `the gateway sets \`${header}\` itself` },
  hint: 'remove it',
})

const doubled = (header: string) => ({
  ...{ rule: 'duplicate-entry', message: `\`${header}\` is twice in \`headers\`` },
  hint: 'remove one: header names ignore case',
})

const AUTHORIZATION = {
  rule: 'bad-header',
  message: '`authorization` is sent by `key`',
  hint: 'use `key`, and `auth` if it is not a bearer token',
}

/** Headers that the gateway itself sends, and those that belong to one connection. */
const OWN: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding', 'accept', 'accept-encoding'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect', 'proxy-authenticate', 'proxy-authorization'],
  ...['proxy-connection', 'x-request-id', 'traceparent', 'tracestate'],
])

/** Names of headers whose values are secrets. */
const SECRET = /key|token|secret|password|cookie|credential|signature/
