import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestPools } from '../gateway.ts'
import { AUDIENCE, type TestGateway } from '../gateway.ts'
import { type OidcServer, startOidc } from './oidc.ts'

/** Lets people sign in at a test gateway that runs, under the address that it has, or that of a proxy before it. */
export async function letSignIn(
  test: TestGateway,
  users: NonNullable<Parameters<typeof startOidc>[0]['users']>,
  more: Partial<TestPools> = {},
  address = test.url,
): Promise<OidcServer> {
  const oidc = await startOidc({ audience: address, users })
  const reloaded = await test.reload({ ...more, oidc }, yaml =>
    yaml.replace(`public_url: ${AUDIENCE}`, `public_url: ${address}`),
  )
  if ('problems' in reloaded) throw new Error(JSON.stringify(reloaded))
  return oidc
}

/** Leaves the session of a user in a folder for `XDG_CONFIG_HOME`, as `svcctl login` does. */
export async function signInTo(oidc: OidcServer, user: string, configHome: string): Promise<void> {
  const { accessToken } = await oidc.signIn(user)
  const { exp } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  const session = {
    gateway: oidc.audience,
    issuer: oidc.issuer,
    clientId: oidc.clientId,
    accessToken,
    expiresAt: exp * 1000,
    label: user,
  }
  mkdirSync(join(configHome, 'svcctl'), { recursive: true, mode: 0o700 })
  const file = { version: 1, sessions: { [oidc.audience]: session } }
  writeFileSync(join(configHome, 'svcctl/session.json'), JSON.stringify(file), { mode: 0o600 })
}
