import type { Identified } from '../../gateway/accounts/identified.ts'
import type { SignInsOnly } from '../../gateway/accounts/identify.ts'
import type { SignIn } from '../../gateway/accounts/sign-in/sign-in.ts'
import { keeperOf } from '../../gateway/responses/kept-responses.ts'
import type { Denial, Denied } from '../../policy/denial.ts'
import type { Caller } from '../../policy/facts.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import { admitAddress, admitProvider, admitReader } from '../listener/admit-read.ts'
import { crowdingOf, serveAnyone } from '../listener/anyone.ts'
import type { HttpCall } from '../listener/call.ts'
import { clientCredential } from '../listener/credentials.ts'
import type { Endpoint, OpenEndpoint } from '../listener/endpoint.ts'
import type { EndpointFamily, FamilyView, Matched } from '../listener/family.ts'
import type { RateBound } from '../listener/read-limits.ts'
import { refuseCaller } from '../listener/refuse-caller.ts'
import { isShed, OVERLOADED } from '../listener/shed.ts'
import type { ClientApp } from './client-app.ts'
import { openToPages, preflight } from './cors.ts'
import { providerDenial } from './provider-denial.ts'

/** A row that clients may call. */
export type ClientEndpoint =
  | OpenEndpoint<ClientApp>
  | CallerEndpoint
  | SignedInEndpoint
  | PersonEndpoint
  | ProviderEndpoint

/** A client with a key or a sign-in. */
interface CallerEndpoint extends Endpoint {
  readonly who: 'caller'
  readonly rate: RateBound
  /** Set where all that is served is admitted before: the caller may be recalled. Its run confirms it before it refuses. */
  readonly admits?: true
  /** Set where it serves inference, the one thing that agent tokens are good for. */
  readonly infers?: true
  /** Set where agents ask for settings of their own, by their token. */
  readonly agents?: true
  readonly run: (app: ClientApp, call: HttpCall, identified: Identified, id: string) => Promise<void>
}

/** A client with a sign-in; a key is not enough. */
interface SignedInEndpoint extends Endpoint {
  readonly who: 'signed-in'
  /** Says in a refusal why a key is not enough. */
  readonly of: SignInsOnly
  readonly rate: RateBound
  readonly run: (app: ClientApp, call: HttpCall, caller: Caller, signIn: SignIn) => Promise<void>
}

/** A person who signs in, and need not have an account: nothing is opened for them. */
interface PersonEndpoint extends Endpoint {
  readonly who: 'person'
  readonly rate: RateBound
  readonly run: (app: ClientApp, call: HttpCall, person: SignIn) => Promise<void>
}

/** The identity provider, by a secret of its own. */
interface ProviderEndpoint extends Endpoint {
  readonly who: 'provider'
  readonly rate: RateBound
  readonly run: (app: ClientApp, call: HttpCall, id: string) => Promise<void>
}

export type ClientFamily = EndpointFamily<ClientApp, ClientEndpoint>
type View = FamilyView<ClientApp>

/** Clients prove who they are by a key or a sign-in. Pages of other origins may read what they are answered. */
export const familyOfClients = (
  endpoints: readonly ClientEndpoint[],
  added: (app: ClientApp) => readonly ClientEndpoint[],
): ClientFamily => ({
  of: 'clients',
  endpoints,
  added,
  headers: ({ settings }) => openToPages(settings.brand),
  answer,
  unrouted,
})

async function answer(view: View, call: HttpCall, match: Matched<ClientEndpoint>): Promise<void> {
  const { app, identify } = view
  const { endpoint, id } = match
  switch (endpoint.who) {
    case 'anyone':
      return serveAnyone(view, call, { endpoint, id })
    // Before the body: a dead key is refused even with a bad body, and costs nothing.
    case 'caller': {
      const credential = clientCredential(call)
      const found = await (endpoint.admits ? identify.applicant(credential, call) : identify.bearer(credential, call))
      const permitted =
        'denial' in found || found.scope === undefined || endpoint.infers || endpoint.agents ? found : FOR_INFERENCE
      return serveKnown(app, call, endpoint, permitted, known => endpoint.run(app, call, known, id))
    }
    case 'signed-in': {
      const found = await identify.signIn(clientCredential(call), endpoint.of)
      return serveKnown(app, call, endpoint, found, ({ caller, signIn }) => endpoint.run(app, call, caller, signIn))
    }
    case 'person': {
      const found = await identify.person(clientCredential(call))
      if ('denial' in found) return refuseStranger(app, call, found.denial)
      const crowded = admitAddress(app, call, 'address')
      return crowded ? call.deny(crowded.denial) : endpoint.run(app, call, found)
    }
    case 'provider': {
      const denied = providerDenial(app, call)
      if (denied) return refuseStranger(app, call, denied.denial)
      const crowded = admitProvider(app)
      return crowded ? call.deny(crowded.denial) : endpoint.run(app, call, id)
    }
  }
}

/** A page of another origin may send a preflight. */
async function unrouted(view: View, call: HttpCall, denial: AnyDenial): Promise<void> {
  const { app } = view
  // The connection itself refuses malformed requests, and those beyond the limit of their address.
  if (denial.code !== 'NOT_FOUND' && denial.code !== 'METHOD_NOT_ALLOWED') return call.deny(denial)
  if (denial.code === 'METHOD_NOT_ALLOWED' && call.request.method === 'OPTIONS') {
    const crowded = admitAddress(app, call, 'preflights')
    app.countStranger('preflight', crowded ? 'limited' : 'served')
    return crowded ? call.deny(crowded.denial) : preflight(call, denial.allow)
  }
  const crowded = await crowdingOf(view, call, { rate: 'reads' })
  app.countStranger('path', crowded ? 'limited' : 'refused')
  call.deny((crowded ?? { denial }).denial)
}

const FOR_INFERENCE: Denied = {
  denial: {
    code: 'INVALID_TOKEN',
    problem: 'An agent token is for inference only: send a key, or the access token of a sign-in.',
  },
}

function serveKnown<Known extends Identified>(
  app: ClientApp,
  call: HttpCall,
  endpoint: CallerEndpoint | SignedInEndpoint,
  found: Known | Denied,
  run: (found: Known) => Promise<void>,
): Promise<void> | void {
  if ('denial' in found) return refuseStranger(app, call, found.denial)
  const { kind, account, key } = found.caller
  call.account = account
  call.keeper = keeperOf(found)
  call.key = key?.id
  const crowded = admitReader(app, call, endpoint, found)
  if (crowded) return call.deny(crowded.denial)
  if (!endpoint.sheds || !isShed(app, kind, account)) return run(found)
  call.rejectFurther()
  return refuseCaller(call, found, OVERLOADED)
}

/**
 * Refuses a client whose key is wrong or missing. Its key was looked up, which costs less than the rest of a request, also
 * where its address has nothing left: so nobody's right key waits for what others send from there.
 */
function refuseStranger(app: ClientApp, call: HttpCall, denial: Denial): void {
  const crowded = admitAddress(app, call, 'address')
  app.countStranger('credential', crowded ? 'limited' : 'refused')
  call.deny((crowded ?? { denial }).denial)
}
