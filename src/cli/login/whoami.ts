import { accountOf } from '../../gateway/accounts/sign-in.ts'
import { ask, printable, safeUrl, unreachable } from '../../operator/login-http.ts'
import { readAccess } from '../../operator/login-token.ts'
import { freshSession } from '../../operator/session-fresh.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { world } from '../../server/world.ts'
import { writeJson, writeOut } from '../stdout.ts'
import { table } from '../table.ts'
import type { Named } from './login-options.ts'
import { gatewayOf } from './login-target.ts'

/** Prints who is signed in. Exits 4 without a sign-in, or with one that the gateway does not accept. */
export async function whoami({ json, ...named }: Named & { json?: boolean }): Promise<void> {
  const { gateway, issuer, accessToken, label } = await freshSession(await gatewayOf(named), world.clock.now())
  const { subject, expiresAt } = readAccess(accessToken, issuer, gateway)
  const who = {
    account: accountOf(issuer, subject),
    label,
    issuer,
    gateway,
    plan: await planOf(gateway, accessToken),
    expires: new Date(expiresAt).toISOString(),
  }
  await (json ? writeJson(who) : writeOut([`${table(Object.entries(who))}\n`]))
}

/** The plan that the gateway gives this account. */
async function planOf(gateway: string, token: string): Promise<string> {
  const url = safeUrl(`${gateway}/billing/quota`, 'the gateway')
  const { status, body } = await ask(url, { token })
  if (status === 401) {
    const why = printable(String(body.error ?? 'it answers 401'))
    throw new CommandFailed(`✗ ${gateway} does not accept this sign-in: ${why}\n  svcctl login`, exitCodes.signIn)
  }
  if (status !== 200 || typeof body.planSlug !== 'string') {
    throw unreachable(url, typeof body.error === 'string' ? body.error : `it answers ${status}, as no gateway does`)
  }
  return body.planSlug
}
