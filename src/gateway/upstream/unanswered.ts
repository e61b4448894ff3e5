import type { Secret } from '../../config/settings.ts'
import type { Denial, Overflow } from '../../policy/denial.ts'
import { estimatedInput } from '../../policy/sizing.ts'
import type { Bill } from '../../records/ledger-row.ts'
import { overflowIn } from '../../wire/errors/overflow.ts'
import { BACKEND } from '../../wire/errors/reason-phrase.ts'
import { scrub, scrubNames } from '../../wire/errors/scrub.ts'
import { namesOf, type Refusal } from '../admission/admit.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { settle } from '../admission/settlement.ts'
import type { BackendMessage, Failure } from '../attempt/outcome.ts'
import { isOwnFault } from '../own-faults.ts'
import type { Unanswered } from './failover.ts'
import type { UpstreamPorts } from './ports.ts'

/** No answer comes. */
export type Unserved =
  | (Refusal & { readonly failures: readonly Failure[] })
  /** The client left before there was anything to send; settled already, where a backend worked for it. */
  | { readonly kind: 'left'; readonly bill?: Bill; readonly failures: readonly Failure[] }

/** No answer: the client is charged nothing, unless it left while a backend worked for it. */
export async function unanswered(
  gateway: UpstreamPorts,
  admitted: LeasedCall,
  attempted: Unanswered,
): Promise<Unserved> {
  const { failures } = attempted
  if (attempted.kind === 'left' && attempted.dispatched) {
    const { pool, work } = attempted.dispatched
    const bill = await settle(gateway, admitted, pool, work)
    return { kind: 'left', bill, failures }
  }
  await gateway.store.holds.refund(admitted.hold)
  if (attempted.kind === 'left') return { kind: 'left', failures }
  const denial = attempted.kind === 'exhausted' ? exhausted(gateway, attempted) : refusal(gateway, admitted, attempted)
  const names = namesOf(admitted.request, admitted.decision.labels)
  return names ? { denial, failures, names } : { denial, failures }
}

type Exhausted = Extract<Unanswered, { kind: 'exhausted' }>
type Refused = Extract<Unanswered, { kind: 'refused' }>

function exhausted(gateway: UpstreamPorts, { denial, message, failures }: Exhausted): Denial {
  if (failures.length > 0 && failures.every(({ cause }) => isOwnFault(cause)))
    return { code: 'OVERLOADED', of: 'process' }
  const [misfit] = failures.flatMap(failure => failure.misfit ?? [])
  if (misfit !== undefined && failures.every(failure => failure.misfit !== undefined)) {
    const { retryAfterMs: _, ...lasting } = denial
    return { ...lasting, misfit }
  }
  const isBusy = failures.length > 0 && failures.every(({ cause }) => cause === 'status 429')
  return { ...denial, ...(isBusy && { isBusy }), ...(message && ofFailure(gateway, message)) }
}

/** The parts of a failed backend's message that everybody may read: only its codes. */
function ofFailure(gateway: UpstreamPorts, message: BackendMessage): Partial<ClientMessage> {
  const { problem, ...codes } = scrubbed(gateway, message)
  return gateway.settings.errors.backendWords ? { problem, ...codes } : codes
}

function refusal(gateway: UpstreamPorts, admitted: LeasedCall, refused: Refused): Denial {
  const { problem: text, ...words } = scrubbed(gateway, refused)
  const problem = `${BACKEND}: ${text}`
  if (refused.as === 'not-found') return { code: 'NOT_FOUND', problem, ...words }
  if (refused.as === 'forbidden') return { code: 'FORBIDDEN', problem, ...words }
  if (!refused.tooLong) return { code: 'VALIDATION_ERROR', field: '', problem, ...words }
  const overflow = overflowOf(admitted, refused.problem)
  const param = words.param ?? (admitted.request.kind === 'chat' ? 'messages' : 'input')
  return { code: 'VALIDATION_ERROR', field: '', problem, ...words, param, ...(overflow && { overflow }) }
}

/** Takes the numbers from the backend's message and fills in ours: the refused input exceeds the room that the answer left. */
function overflowOf({ request, decision, hold }: LeasedCall, text: string): Overflow | undefined {
  const { model } = decision
  if (request.kind !== 'chat' || model.kind !== 'chat') return undefined
  const said = overflowIn(text)
  const { limit = model.context, output = hold.output } = said
  return { input: said.input ?? Math.max(estimatedInput(model, request), limit - output + 1), output, limit }
}

/** As a client may read it. A word that is not as it was says nothing any more. */
function scrubbed(gateway: UpstreamPorts, { problem, reason, type, param }: BackendMessage): ClientMessage {
  const secrets = privateWords(gateway)
  const { backendWords } = gateway.settings.errors
  const shown = (text: string) => (backendWords ? scrub(text, secrets) : scrubNames(scrub(text, secrets)))
  const isFine = (word: string | undefined): word is string => word !== undefined && shown(word) === word
  return {
    problem: shown(problem),
    ...(isFine(reason) && { reason }),
    ...(isFine(type) && { backendType: type }),
    ...(isFine(param) && { param }),
  }
}

interface ClientMessage {
  readonly problem: string
  readonly reason?: string
  readonly backendType?: string
  readonly param?: string
}

/** Words that no client may read: our keys at backends, the headers they are sent, and their addresses. */
function privateWords({ config, settings }: UpstreamPorts): readonly string[] {
  const backends = [...settings.backends.values()]
  const keys = backends.flatMap(({ key }) => (key ? [key.reveal()] : []))
  const sent = backends.flatMap(({ headers }) =>
    [...(headers ?? [])].filter(isTelling).map(([, value]) => textOf(value)),
  )
  const places = [...config.pools.values()].flatMap(({ replicas }) => replicas.map(url => new URL(url)))
  return [...keys, ...sent, ...places.flatMap(({ host, hostname }) => [host, hostname])]
}

const textOf = (value: string | Secret): string => (typeof value === 'string' ? value : value.reveal())

/** Secrets, and the ids of accounts at providers; not the version of an API, which a backend may name. */
const isTelling = ([name, value]: readonly [string, string | Secret]): boolean =>
  typeof value !== 'string' || /organi[sz]ation|project|workspace|tenant|account/.test(name)
