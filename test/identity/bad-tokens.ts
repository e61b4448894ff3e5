import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IdentityOptions } from '../../src/adapters/identity/identity.ts'
import { type Problems, problemsOf } from '../../src/adapters/identity/problems.ts'
import { AUDIENCE, type Bench, startBench } from './bench.ts'

/** What is wrong, what the client is told, and the token. */
export type BadRow = readonly [name: string, fault: keyof Problems, token: (bench: Bench) => string | Promise<string>]

/** One test per row: the token gets its text, which holds nothing of the token. */
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

    expect(judged).toEqual(problemsOf({ issuer: bench.oidc.issuer, audience, types })[fault])
    expect(leaked(JSON.stringify(judged), token, bench)).toEqual([])
  })
}

/** Pieces of a token that a text holds. */
function leaked(text: string, token: string, { oidc }: Bench): string[] {
  const pieces = [...token.slice(0, 10_000).matchAll(/(?=([\w-]{8}))/g)].map(([, piece = '']) => piece)
  return [...pieces, ...oidc.keys.map(({ kid }) => kid), 'canary'].filter(piece => text.includes(piece))
}
