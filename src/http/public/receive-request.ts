import type { Identified } from '../../gateway/accounts/identified.ts'
import type { Refusal } from '../../gateway/admission/admit.ts'
import { noRoom } from '../../gateway/admission/look.ts'
import type { Reading } from '../../gateway/responses/kept-responses.ts'
import { keeperOf } from '../../gateway/responses/kept-responses.ts'
import type { Denied } from '../../policy/denial.ts'
import type { Caller } from '../../policy/facts.ts'
import type { WireRequest } from '../../wire/openai/request.ts'
import type { HttpCall } from '../listener/call.ts'
import { ClientLeft } from '../listener/request-input.ts'
import type { ClientApp } from './client-app.ts'
import { KeptReading, type ReadingApp } from './kept-reading.ts'
import { type Reader, type ReceiveApp, type Received, receive } from './receive.ts'

/** Dependencies of reading bodies. */
type FormatApp = Pick<ClientApp, 'config' | 'settings' | 'random' | 'responses'>

/** Dependencies of receiving requests. */
export type ReceiveRequestApp = ReceiveApp & FormatApp & ReadingApp

/** How an endpoint reads the body of its requests; what it checks depends on the configuration. */
export interface Format<P> extends Omit<Reader<P, WireRequest>, 'check'> {
  readonly check: (parsed: P, app: FormatApp, caller: Caller) => WireRequest | Denied
  /** Whether something of the plan is asked before the admission. Absent: it never is. */
  readonly asksPlan?: (parsed: P, app: FormatApp) => boolean
  /** Looks up the references of a body before it is checked, where it has any. */
  readonly references?: {
    readonly isIn: (parsed: P, app: FormatApp, caller: Caller) => boolean
    readonly lookUp: (parsed: P, app: FormatApp, by: LookUp) => Promise<P | Denied>
  }
}

/** Looks up the references of a body. */
interface LookUp {
  readonly account: string
  readonly reading: Reading
  /** Bytes of the body. */
  readonly bytes: number
}

/** A request, and its caller: found in the store where the request could not be read without. */
export interface ReceivedRequest extends Received<WireRequest> {
  readonly found: Identified
}

/** Receives a request. Looks up what it refers to, and its caller if the plan decides how to read it. */
export async function receiveRequest<P extends object>(
  app: ReceiveRequestApp,
  call: HttpCall,
  found: Identified,
  format: Format<P>,
): Promise<ReceivedRequest | Refusal> {
  const { elides, parse, check, references, asksPlan } = format
  const { caller, confirm } = found
  const refers = (parsed: P) => references?.isIn(parsed, app, caller) === true
  const isOpen = (parsed: P) => refers(parsed) || (confirm !== undefined && asksPlan?.(parsed, app))
  const received = await receive<P, WireRequest | Referring<P>>(app, call, found, {
    elides,
    parse,
    check: (parsed, bytes) => (isOpen(parsed) ? { referring: parsed, bytes } : check(parsed, app, caller)),
  })
  if ('denial' in received) return received
  const { value, bytes, waited, release } = received
  if (!('referring' in value)) return { value, found, bytes, waited, decided: received.decided, release }
  const reading = refers(value.referring) ? new KeptReading(app, call, caller.account) : undefined
  const decided = reading ? await nextTurn(app, caller.account, received.decided) : received.decided
  const drop = () => {
    decided()
    reading?.release()
    release()
  }
  try {
    const complete = await readReferring(app, call, found, format, { ...value, reading })
    if ('denial' in complete) {
      drop()
      return complete
    }
    // The response that it continues counts with the request from now on.
    reading?.release()
    if (reading?.isSmall) decided()
    return { ...received, ...complete, decided }
  } catch (error) {
    drop()
    throw error
  }
}

/** As for costly bodies: the account's next request that refers to kept responses is read once this one is decided. */
function nextTurn({ turns }: Pick<ClientApp, 'turns'>, account: string, decided: () => void): Promise<() => void> {
  decided()
  return turns.take(account)
}

/** A body with references to kept content, or whose caller must be confirmed. */
interface Referring<P> {
  readonly referring: P
  readonly bytes: number
}

/** Confirms the caller. Before anything is looked up, the account's minute is looked at. */
async function readReferring<P extends object>(
  app: ReceiveRequestApp,
  call: HttpCall,
  found: Identified,
  { check, references }: Format<P>,
  { referring, bytes, reading }: Referring<P> & { readonly reading: KeptReading | undefined },
): Promise<Pick<ReceivedRequest, 'value' | 'found'> | Refusal> {
  const { account } = found.caller
  if (call.gone) throw new ClientLeft()
  const known = (await found.confirm?.()) ?? found
  if ('denial' in known) return known
  const refused = reading && (await noRoom(app, call.requestId, known))
  if (refused) return refused
  const complete = reading
    ? await references?.lookUp(referring, app, { account: keeperOf(known), reading, bytes })
    : referring
  if (!complete || 'denial' in complete) return complete ?? { denial: { code: 'INTERNAL' } }
  const wire = await app.turns.run(account, 'going on', () => {
    if (call.gone) throw new ClientLeft()
    return check(complete, app, known.caller)
  })
  return 'denial' in wire ? wire : { value: wire, found: known }
}
