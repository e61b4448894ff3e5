import type { Identified } from '../../gateway/accounts/identified.ts'
import type { Refusal } from '../../gateway/admission/admit.ts'
import { noRoom } from '../../gateway/admission/look.ts'
import type { Pieces } from '../../gateway/pieces.ts'
import { endOfTurn } from '../../gateway/turn.ts'
import type { Millis } from '../../policy/config.ts'
import type { Denied } from '../../policy/denial.ts'
import type { Elides } from '../../wire/fast/body-pass.ts'
import type { KnownSpans } from '../../wire/fast/known-span.ts'
import { isCostlyBody } from '../../wire/openai/body.ts'
import type { HttpCall } from '../listener/call.ts'
import { ClientLeft, readPieces } from '../listener/request-input.ts'
import { isShed } from '../listener/shed.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of receiving bodies. */
export type ReceiveApp = Pick<ClientApp, 'config' | 'settings' | 'store' | 'clock' | 'bodies' | 'turns' | 'shedding'>

/** Below this size, asking whether a body is costly would take as long as reading it. */
const SMALL_BYTES = 8192

/** Up to this size, reading a body takes as long as looking up its account's minute, unless the body is costly. */
const LIGHT_BYTES = 262_144

/** Joining a larger body takes some milliseconds, and so does scanning it. Each waits for a turn, for any content. */
const HEAVY_BYTES = 2_097_152

/** The time that the kernel and Node take to hand over a byte, and the gateway to keep it. */
const RECEIVING_MS_PER_BYTE: Millis = 2 / 1_000_000

/** A body that was received and read. */
export interface Received<T> {
  readonly value: T
  /** Bytes that are kept of it. */
  readonly bytes: number
  /** How long it took to arrive. */
  readonly waited: Millis
  /** Call this once the request is admitted or refused: the account's next costly body is read only then. */
  readonly decided: () => void
  /** Call this once the body is no longer kept. */
  readonly release: () => void
}

/** How a body is read, in two steps: each may take as long as the event loop should be held at most. */
export interface Reader<P, T> {
  /** The long texts left out of parsing. */
  readonly elides: Elides
  /** `spans` are the values that its account sent before. */
  readonly parse: (bytes: Buffer, spans?: KnownSpans) => P | Denied
  /** Makes a request of what was parsed from so many bytes, or says what is wrong with it. */
  readonly check: (parsed: P, bytes: number) => T | Denied
}

/**
 * Receives and parses the body of a request, at its account's expense. Retained bytes count for the account and its address.
 * Before parsing, it checks the load again, and for a costly body the account's minute.
 */
export async function receive<P extends object, T extends object>(
  app: ReceiveApp,
  call: HttpCall,
  found: Identified,
  reader: Reader<P, T>,
): Promise<Received<T> | Refusal> {
  const { account, kind } = found.caller
  const held = app.bodies.open({ account, address: call.clientAddress })
  const release = () => held.release()
  if (Number(call.request.headers['content-length'] ?? SMALL_BYTES + 1) > SMALL_BYTES) {
    held.onAdded = bytes => app.turns.charge(account, bytes * RECEIVING_MS_PER_BYTE)
  }
  const from = app.clock.elapsed()
  const pieces = await readPieces(call.request, app.settings.limits.bodyBytes, held)
  const waited = app.clock.elapsed() - from
  if ('denial' in pieces) return pieces
  try {
    // Not sooner: what is refused must be refused before more of its connection is read.
    await endOfTurn()
    const { value, decided } = isShed(app, kind, account)
      ? SHED
      : await readInTurn(app, call, found, { pieces, size: held.bytes }, reader)
    if (!('denial' in value)) return { value, waited, decided, release, bytes: held.bytes }
    if (value === SHED.value) call.rejectFurther()
    decided()
    release()
    return value
  } catch (error) {
    release()
    throw error
  }
}

const NOTHING = () => {}
const SHED = { value: { denial: { code: 'OVERLOADED', of: 'gateway' } }, decided: NOTHING } as const

type Read<T> = Pick<Received<T | Refusal>, 'value' | 'decided'>

async function readInTurn<P extends object, T extends object>(
  app: ReceiveApp,
  call: HttpCall,
  found: Identified,
  { pieces, size }: { readonly pieces: Pieces; readonly size: number },
  { elides, parse, check }: Reader<P, T>,
): Promise<Read<T>> {
  const { turns } = app
  const { account } = found.caller
  const spans = app.turns.spans.of(found.caller)
  const read = (bytes: Buffer): T | Denied => {
    const parsed = parse(bytes, spans)
    return 'denial' in parsed ? parsed : check(parsed, size)
  }
  if (size <= SMALL_BYTES) return { value: read(pieces.join()), decided: NOTHING }
  const look = () => (call.gone ? undefined : noRoom(app, call.requestId, found))
  if (size > LIGHT_BYTES && turns.isBusy(account)) {
    const refused = await look()
    if (refused) return { value: refused, decided: NOTHING }
  }
  let bytes: Buffer | undefined
  const value = await turns.run(account, 'small', () => {
    bytes = pieces.join()
    if (size > HEAVY_BYTES) return undefined
    return isCostlyBody(bytes, elides, spans) ? undefined : read(bytes)
  })
  if (value) return { value, decided: NOTHING }

  const decided = await turns.take(account)
  try {
    const refused = await look()
    if (refused) return { value: refused, decided }
    const parsed = await turns.run(account, 'costly', () => (call.gone || !bytes ? undefined : parse(bytes, spans)))
    if (!parsed) throw new ClientLeft()
    if ('denial' in parsed) return { value: parsed, decided }
    const checked = await turns.run(account, 'going on', () => check(parsed, size))
    // Serving the request follows, and has a turn of its own as well.
    await endOfTurn()
    return { value: checked, decided }
  } catch (error) {
    decided()
    throw error
  }
}
