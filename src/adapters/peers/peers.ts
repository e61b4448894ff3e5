import { rootCertificates } from 'node:tls'
import { Agent, type Dispatcher, request } from 'undici'
import type { AskPeer, FollowPeer, PeerAnswer, Peers } from '../../gateway/fleet/peers.ts'
import type { Millis } from '../../policy/config.ts'
import { USER_HEADER } from '../../wire/admin/user.ts'
import { isObject } from '../../wire/json-safety.ts'
import { SseSplitter } from '../../wire/sse.ts'

/** The certificates by which gateways of a fleet trust each other, as PEM. */
export interface PeerTls {
  /** The authority of the others' admin listeners, in addition to well-known ones. */
  readonly authority: string
  /** This gateway's certificate for those that ask for one. */
  readonly certificate: string
  readonly key: string
}

interface Self {
  /** The current admin token, which all gateways of a fleet should share. */
  readonly token: () => string
  /** As the files have it now; undefined where they have no TLS. */
  readonly tls: () => PeerTls | undefined
}

/** Asks other gateways over their admin listeners. */
export function peersOf({ token, tls }: Self): Peers {
  const dispatcherFor = dispatchers(tls)
  // It lets a POST with a certificate in, which a page of another origin cannot send.
  const headersNow = () => ({
    authorization: `Bearer ${token()}`,
    'content-type': 'application/json',
    [USER_HEADER]: 'gateway',
  })

  const ask: AskPeer = async ({ admin }, { method, path, body, patience }) => {
    try {
      const answer = await request(admin + path, {
        method,
        headers: headersNow(),
        signal: AbortSignal.timeout(patience),
        ...(body && { body: JSON.stringify(body) }),
        ...dispatcherFor(admin),
      })
      return await readAnswer(answer, admin)
    } catch (error) {
      return { problem: problemOf(error, admin, patience) }
    }
  }

  const follow: FollowPeer = async ({ admin }, path, { signal, began, event }) => {
    try {
      const answer = await request(admin + path, {
        headers: headersNow(),
        signal,
        headersTimeout: ANSWER,
        bodyTimeout: SILENCE,
        ...dispatcherFor(admin),
      })
      if (answer.statusCode !== 200) {
        const read = await readAnswer(answer, admin)
        return 'problem' in read ? read.problem : `it answers ${read.status}: ${String(read.body.error)}`
      }
      began()
      const splitter = new SseSplitter()
      for await (const bytes of answer.body) for (const json of splitter.push(bytes)) event(json)
      return 'it has ended'
    } catch (error) {
      return problemOf(error, admin, ANSWER)
    }
  }
  return { ask, follow }
}

const ANSWER: Millis = 5000
/** A gateway that lives says something every 15 s. */
const SILENCE: Millis = 45_000

/** The connections to those that are reached by https, made anew where the files have other certificates. */
function dispatchers(tls: () => PeerTls | undefined): (admin: string) => { readonly dispatcher?: Dispatcher } {
  let known: { readonly tls: PeerTls; readonly agent: Agent } | undefined
  return admin => {
    const now = admin.startsWith('https:') ? tls() : undefined
    if (!now) return {}
    if (!known || !isSame(known.tls, now)) {
      const { authority, certificate: cert, key } = now
      // It closes once its answers have come: nothing else would close its connections.
      void known?.agent.close()
      known = { tls: now, agent: new Agent({ connect: { ca: [...rootCertificates, authority], cert, key } }) }
    }
    return { dispatcher: known.agent }
  }
}

const isSame = (a: PeerTls, b: PeerTls): boolean =>
  a.authority === b.authority && a.certificate === b.certificate && a.key === b.key

async function readAnswer({ statusCode, body }: Dispatcher.ResponseData, admin: string): Promise<PeerAnswer> {
  const json: unknown = await body.json().catch(() => undefined)
  if (!isObject(json)) return { problem: `the server at ${admin} is not a gateway` }
  if (statusCode !== 401) return { status: statusCode, body: json }
  const said = String(json.error)
  return {
    problem: /certificate/i.test(said)
      ? `it refuses the certificate of this gateway: ${said}`
      : 'it refuses the admin token of this gateway: give all gateways the same, by SVCCTL_TOKEN or server.admin_token',
  }
}

function problemOf(error: unknown, admin: string, patience: Millis): string {
  const reason = reasonOf(error, patience)
  if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is not for ${new URL(admin).hostname} (${reason}): set its server.fleet_url to a name in the certificate`
  if (UNTRUSTED.test(reason))
    return `its certificate is not trusted here (${reason}): set server.admin_tls.fleet_ca to the authority that signed it`
  return `it does not answer at ${admin}: ${reason}`
}

/** node's error codes for an untrusted server certificate. */
const UNTRUSTED = /CERT|SIGNATURE/

function reasonOf(error: unknown, patience: Millis): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `not within ${patience / 1000} s`
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
