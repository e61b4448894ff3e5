import { afterAll, beforeAll } from 'vitest'
import { answer, type Backend, startBackend } from '../backend.ts'
import { AUDIENCE, type TestGateway } from '../gateway.ts'
import { type OidcOptions, type OidcServer, startOidc } from './oidc.ts'

/**
 * Starts a backend and an identity provider before the tests of this scope, then the gateway that trusts the provider. All three
 * end with the scope. The backend answers `Hi`; any name can sign in, with the claims of `users`.
 */
export function openSignIns(
  users: OidcOptions['users'],
  start: (parts: { readonly backend: Backend; readonly oidc: OidcServer }) => Promise<TestGateway>,
): void {
  const ends: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    const backend = await startBackend()
    ends.unshift(() => backend.close())
    backend.always(answer({ content: 'Hi' }))
    const oidc = await startOidc({ audience: AUDIENCE, ...(users && { users }) })
    ends.unshift(() => oidc.stop())
    const test = await start({ backend, oidc })
    ends.unshift(() => test.close())
  })
  afterAll(async () => {
    for (const end of ends.splice(0)) await end()
  })
}
