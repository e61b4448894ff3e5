import { rootCertificates } from 'node:tls'
import { Agent, type Dispatcher, request } from 'undici'
import type { AskPeer, PeerAnswer } from '../../gateway/fleet/peers.ts'
import { isObject } from '../../wire/json-safety.ts'

/** What a gateway has for TLS, as PEM: to others it is its own client certificate. */
interface OwnCertificate {
  readonly certificate: string
  readonly key: string
}

/** Asks other gateways with the admin token of this one, which all of a fleet should have. */
export function peersOf(token: string, own: () => OwnCertificate | undefined): AskPeer {
  let known: { readonly certificate: string; readonly agent: Agent } | undefined
  const dispatcher = () => {
    const tls = own()
    if (!tls || tls.certificate === known?.certificate) return known?.agent
    const { certificate: cert, key } = tls
    // Gateways of a fleet often share one certificate that no known authority signed.
    const agent = new Agent({ connect: { ca: [...rootCertificates, cert], cert, key } })
    known = { certificate: cert, agent }
    return agent
  }
  return async ({ admin }, { method, path, body, patience }) => {
    const agent = admin.startsWith('https:') ? dispatcher() : undefined
    try {
      const answer = await request(admin + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(patience),
        ...(body && { body: JSON.stringify(body) }),
        ...(agent && { dispatcher: agent }),
      })
      return await readAnswer(answer, admin)
    } catch (error) {
      return { problem: `it does not answer at ${admin}: ${reasonOf(error, patience)}` }
    }
  }
}

async function readAnswer({ statusCode, body }: Dispatcher.ResponseData, admin: string): Promise<PeerAnswer> {
  const json: unknown = await body.json().catch(() => undefined)
  if (statusCode === 401)
    return { problem: 'it refuses the admin token of this gateway: start all gateways with the same SVCCTL_TOKEN' }
  return isObject(json) ? { status: statusCode, body: json } : { problem: `what answers at ${admin} is no gateway` }
}

function reasonOf(error: unknown, patience: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `not within ${patience / 1000} s`
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
