import type { Denied } from '../../policy/denial.ts'
import type { HttpCall } from '../listener/call.ts'
import { isSameSecret } from '../listener/same-secret.ts'
import type { ClientApp } from './client-app.ts'

/** Why a request does not come from the identity provider; undefined where it sends the secret of `identity.scim`. */
export function providerDenial({ settings }: Pick<ClientApp, 'settings'>, call: HttpCall): Denied | undefined {
  const { authorization } = call.request.headers
  if (!authorization) return { denial: { code: 'NO_AUTH', todo: SEND } }
  const sent = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  const secret = settings.identity?.scim?.secret.reveal()
  return secret !== undefined && isSameSecret(secret, sent)
    ? undefined
    : { denial: { code: 'INVALID_TOKEN', problem: SEND } }
}

const SEND = 'Send `Authorization: Bearer` with the secret of `identity.scim`.'
