import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IdentityOptions } from '../../../src/adapters/identity/identity.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { identifyWith } from '../../../src/gateway/accounts/identify.ts'
import type { VerifyToken } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { type TokenFault, tokenProblems } from '../../../src/gateway/accounts/sign-in/token-problems.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import type { Config } from '../../../src/policy/config.ts'
import { AUDIENCE, type Bench, startBench } from './bench.ts'

/** The fault, the client's message, and the token. */
export type BadRow = readonly [name: string, fault: TokenFault, token: (bench: Bench) => string | Promise<string>]

/** One test per row: the token gets its text, which holds nothing of the token, and 401 INVALID_TOKEN at every endpoint. */
export function refuseEach(rows: readonly BadRow[], options: Partial<IdentityOptions> = {}): void {
  let bench: Bench
  let verify: Bench['identity']['verify']
  beforeAll(async () => {
    bench = await startBench()
    verify = bench.open(options).verify
  })
  afterAll(() => bench.close())

  test.each(rows)('%s is refused', async (_, fault, make) => {
    const { audience = AUDIENCE, tokenTypes = ['at+jwt'] } = options
    const types = new Set(tokenTypes.map(type => type.toLowerCase()))
    const token = await make(bench)

    const judged = await verify(token)

    expect(judged).toEqual(tokenProblems({ issuer: bench.oidc.issuer, audience, types })[fault])
    // A key is a bearer of its own kind, and a blank in front of a token belongs to the header.
    const isOther = token.startsWith('svc_') || token.startsWith(' ')
    const denials = await Promise.all(isOther ? [] : doors(verify).map(door => door(`Bearer ${token}`)))
    expect(denials).toEqual(isOther ? [] : [INVALID, INVALID, INVALID])
    expect(leaked(JSON.stringify([judged, denials]), token, bench)).toEqual([])
  })
}

const INVALID = { denial: { code: 'INVALID_TOKEN', problem: expect.any(String) } }

/** The doors that every endpoint is behind: a bearer of any kind, a sign-in alone, and a person without an account. None asks the store. */
function doors(verify: VerifyToken) {
  const facet = new Proxy({} as Store['keys'] & Store['accounts'] & Store['orgs'], {
    get: (_, call) => () => {
      throw new Error(`a bad token came as far as ${String(call)}`)
    },
  })
  const store = { keys: facet, accounts: facet, orgs: facet }
  const identify = identifyWith({
    config: { plans: new Map() } as unknown as Config,
    settings: { brand: 'svc', identity: { issuer: 'https://id.example.com' } } as unknown as Settings,
    store,
    verify,
    alarm: () => {},
    keyUses: { note: () => {} },
  })
  return [
    (authorization: string) => identify.bearer(authorization, { clientAddress: '' }),
    (authorization: string) => identify.signIn(authorization, 'keys'),
    (authorization: string) => identify.person(authorization),
  ]
}

/** Pieces of a token that a text holds. */
function leaked(text: string, token: string, { oidc }: Bench): string[] {
  const pieces = [...token.slice(0, 10_000).matchAll(/(?=([\w-]{8}))/g)].map(([, piece = '']) => piece)
  return [...pieces, ...oidc.keys.map(({ kid }) => kid), 'canary'].filter(piece => text.includes(piece))
}
