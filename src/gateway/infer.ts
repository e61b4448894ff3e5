import type { BackendSettings, Settings } from '../config/settings.ts'
import type { Config, Pool } from '../policy/config.ts'
import type { Denial } from '../policy/denial.ts'
import type { Caller, Facts } from '../policy/facts.ts'
import { aliasOf } from '../policy/model.ts'
import { isDenial } from '../wire/body.ts'
import type { StreamWanted, WireRequest } from '../wire/request.ts'
import { scrub } from '../wire/scrub.ts'
import { type Headers, signalsIn } from '../wire/signals.ts'
import { type AdmittedCall, admit } from './admit.ts'
import type { Target } from './attempt.ts'
import { Expenses } from './expenses.ts'
import { type AnswerEnd, type Attempted, type Failure, failover, type Unanswered } from './failover.ts'
import type { Lease, Leases } from './leases.ts'
import type { Outcome } from './outcome.ts'
import type { Pools } from './pools.ts'
import type { Alarm, Client, Clock, Send } from './ports.ts'
import { type Delivered, settlementOf } from './settlement.ts'
import type { VerifyToken } from './sign-in.ts'
import { type Bill, chargeOf, type Store } from './store.ts'
import { type AnswerStream, answerId, attemptStream, type StreamEnding } from './stream.ts'
import { attemptWhole } from './whole.ts'

/** Everything a request needs beside itself. */
export interface Gateway {
  readonly config: Config
  readonly settings: Settings
  readonly store: Store
  readonly send: Send
  readonly clock: Clock
  readonly pools: Pools
  readonly leases: Leases
  /** Judges sign-in tokens; absent where nobody can sign in. */
  readonly verify?: VerifyToken
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  readonly alarm: Alarm
}

/** One authenticated, valid request. */
export interface Call {
  readonly requestId: string
  /** Absent for a sign-in. */
  readonly keyHash?: string
  readonly caller: Caller
  readonly wire: WireRequest
  readonly headers: Headers
  readonly client: Client
  /** Hears which pool is tried, for answers that must begin before one of them has answered. */
  readonly trying: (admitted: AdmittedCall, pool: Pool) => void
}

/** What becomes of a request. */
export type Served =
  | { readonly kind: 'denied'; readonly denial: Denial; readonly failures: readonly Failure[] }
  /** Settled already. */
  | (Answered & { readonly kind: 'whole'; readonly bytes: Buffer; readonly bill: Bill })
  | (Answered & {
      readonly kind: 'stream'
      readonly stream: AnswerStream
      /** Settles the stream, durably; to be awaited before the client gets its last bytes. */
      readonly settle: (ending: StreamEnding) => Promise<Bill>
    })
  /** The client left before there was anything to send; settled already, where a backend worked for it. */
  | { readonly kind: 'left'; readonly bill?: Bill; readonly failures: readonly Failure[] }

interface Answered {
  readonly admitted: AdmittedCall
  readonly pool: Pool
  readonly failures: readonly Failure[]
}

/** The life of one inference request, in the order it happens. */
export async function infer(gateway: Gateway, call: Call): Promise<Served> {
  const { config, settings, store, clock, pools } = gateway
  const { requestId, keyHash, caller, wire } = call
  const at = clock.now()
  const patienceOf = (pool: string) => settings.backends.get(pool)?.waitForRetryAfter ?? 0
  const health = { down: pools.down(config.pools.values(), at, patienceOf) }
  const signals = signalsOf(config, call)
  const facts = { at, caller, request: wire.request, health, signals }
  const admitted = await admit(config, store, {
    requestId,
    ...(keyHash !== undefined && { keyHash }),
    facts,
    ...(settings.guests && { guestsPerDay: settings.guests.perDayTotal }),
  })
  if (isDenial(admitted)) return { kind: 'denied', denial: admitted, failures: [] }

  const lease = gateway.leases.open(admitted.hold)
  try {
    const served = await (wire.stream
      ? serveStream(gateway, call, { ...admitted, lease }, wire.stream)
      : serveWhole(gateway, call, { ...admitted, lease }))
    // A stream goes on; whatever else was served is settled.
    if (served.kind !== 'stream') lease.end()
    return served
  } catch (error) {
    lease.end()
    await store.refund(admitted.hold)
    throw error
  }
}

/** Only generic names are routed: of all others nobody asks what they say. */
function signalsOf(config: Config, { wire, headers }: Call): Facts['signals'] {
  const isRouted = aliasOf(config, wire.request.model) !== undefined
  return isRouted && wire.routedText ? signalsIn(config.matchers, wire.routedText(), headers) : {}
}

interface LeasedCall extends AdmittedCall {
  readonly lease: Lease
}

async function serveWhole(gateway: Gateway, call: Call, admitted: LeasedCall): Promise<Served> {
  const { decision } = admitted
  const read = (backendModel: string) => (bytes: Buffer) =>
    call.wire.readAnswer(bytes, {
      model: decision.model,
      backendModel,
      inputTokens: decision.claims.tokens.input,
      id: answerId(call.requestId),
      created: Math.floor(gateway.clock.now() / 1000),
    })
  const attempted = await forward(gateway, call, admitted, target =>
    attemptWhole(gateway, target, call.client, read(target.pool.model)),
  )
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  const { answer, pool, failures, over } = attempted
  over('well', answer)
  const bill = await settle(gateway, admitted, { pool, ...answer })
  return { kind: 'whole', admitted, pool, failures, bytes: answer.bytes, bill }
}

async function serveStream(gateway: Gateway, call: Call, admitted: LeasedCall, wanted: StreamWanted): Promise<Served> {
  const attempted = await forward(gateway, call, admitted, target =>
    attemptStream(gateway, target, wanted, call.client),
  )
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  const { answer, pool, failures, over } = attempted
  admitted.lease.speaking(() => settlementOf(admitted, { pool, spoken: answer.spoken }))
  return {
    kind: 'stream',
    admitted,
    pool,
    failures,
    stream: answer,
    settle: ending => {
      over(endOf(ending), ending)
      return settle(gateway, admitted, { pool, ...ending }).finally(() => admitted.lease.end())
    },
  }
}

/** Sends the request to one pool after the other, as `attempt` does for one replica. */
function forward<A>(
  gateway: Gateway,
  call: Call,
  admitted: LeasedCall,
  attempt: (target: Target) => Promise<Outcome<A>>,
): Promise<Attempted<A>> {
  const { clock, settings } = gateway
  const { requestId, wire, client } = call
  const { decision, hold } = admitted
  const settingsOf = (pool: Pool) => backendOf(settings, pool)
  const expenses = new Expenses({ ...gateway, settingsOf }, admitted)
  const ports = { ...gateway, client, settingsOf, expenses, trying: (pool: Pool) => call.trying(admitted, pool) }
  const startedAt = clock.elapsed()
  const context = 'context' in decision.model ? decision.model.context : 0

  return failover(ports, decision.pools, context, place => {
    const { pool } = place
    const streamTime = Math.max(0, place.settings.streamTimeout - (clock.elapsed() - startedAt))
    const body = wire.bodyFor(pool.model, hold.output, decision.imageSize)
    // The prompt is read from here on; images are charged once they came.
    const dispatched = () => admitted.lease.dispatched(() => settlementOf(admitted, { pool, spoken: 0, items: 0 }))
    const { commit } = decision
    return attempt({ ...place, path: wire.path, body, requestId, commit, streamTime, dispatched })
  })
}

function backendOf({ backends }: Settings, { name }: Pool): BackendSettings {
  const backend = backends.get(name)
  if (!backend) throw new Error(`pool ${name} has no backend settings`)
  return backend
}

/** No answer: nobody pays, unless the client left while a backend worked for it. */
async function unanswered(gateway: Gateway, admitted: AdmittedCall, attempted: Unanswered): Promise<Served> {
  const { failures } = attempted
  if (attempted.kind === 'left' && attempted.dispatched) {
    const { pool, work } = attempted.dispatched
    const bill = await settle(gateway, admitted, { pool, ...work })
    return { kind: 'left', bill, failures }
  }
  await gateway.store.refund(admitted.hold)
  if (attempted.kind === 'left') return { kind: 'left', failures }
  if (attempted.kind === 'exhausted') return { kind: 'denied', denial: attempted.denial, failures }
  const problem = `the backend refused the request: ${scrub(attempted.problem, privateWords(gateway))}`
  return { kind: 'denied', denial: { code: 'VALIDATION_ERROR', field: '', problem }, failures }
}

/** What no client may read: our keys at backends, and where they stand. */
function privateWords({ config, settings }: Gateway): readonly string[] {
  const keys = [...settings.backends.values()].flatMap(({ key }) => (key ? [key.reveal()] : []))
  const places = [...config.pools.values()].flatMap(({ replicas }) => replicas.map(url => new URL(url)))
  return [...keys, ...places.flatMap(({ host, hostname }) => [host, hostname])]
}

async function settle(gateway: Gateway, admitted: AdmittedCall, delivered: Delivered): Promise<Bill> {
  const settlement = settlementOf(admitted, delivered)
  const { bill } = settlement
  if (chargeOf(settlement).tokens > admitted.hold.tokens) {
    // The bound should hold; the truth is recorded all the same.
    gateway.alarm('a backend counted more tokens than were held', { requestId: bill.requestId, pool: bill.pool })
  }
  await gateway.store.settle(settlement)
  return bill
}

function endOf({ clean, isFault }: StreamEnding): AnswerEnd {
  if (clean) return 'well'
  return isFault ? 'failed' : 'left'
}
