import { safeUrl } from '../../operator/login-http.ts'
import { discover } from '../../operator/login-issuer.ts'
import { labelOf, readAccess } from '../../operator/login-token.ts'
import { saveSession } from '../../operator/session.ts'
import { world } from '../../server/world.ts'
import { awaitTokens, type Device, startDevice, type Waiting } from './login-device.ts'
import type { NamedIssuer } from './login-options.ts'
import { targetOf } from './login-target.ts'

/** Signs in by device code and keeps the session. RFC 8628. */
export async function login(named: NamedIssuer): Promise<void> {
  const { gateway, issuer, clientId, labelClaim } = await targetOf(named)
  safeUrl(gateway, 'the gateway')
  const provider = await discover(issuer)
  const device = await startDevice(provider, { clientId, gateway })
  console.error(invitation(device))
  const tokens = await awaitTokens(provider, { clientId, gateway }, device, waiting)
  const { expiresAt } = readAccess(tokens.accessToken, issuer, gateway)
  const { accessToken, refreshToken } = tokens
  const label = labelOf(tokens, labelClaim)
  saveSession({ gateway, issuer, clientId, accessToken, ...(refreshToken && { refreshToken }), expiresAt, label })
  console.error(`✓ Signed in to ${gateway} as ${label}, until ${new Date(expiresAt).toISOString()}.`)
}

const waiting: Waiting = {
  now: world.clock.now,
  sleep: ms => new Promise<void>(resolve => world.clock.after(ms, resolve)),
}

const invitation = ({ uri, uriComplete, userCode }: Device): string =>
  `Open  ${uriComplete ?? uri}\nCode  ${userCode}\n\nWaiting for you there; Ctrl-C gives up.`
