import type { Pool } from '../../policy/config.ts'
import type { AnswerFacts } from '../../records/mirror-facts.ts'
import { asksForJson } from '../../wire/answer-facts.ts'
import type { WholeAnswer } from '../../wire/answer-reader.ts'
import type { Lease, LeasedCall } from '../admission/leases.ts'
import { AnswerStream } from '../answer/stream.ts'
import type { EndedAnswer, NoAnswer, Rejected, Work } from '../attempt/outcome.ts'
import type { Call } from '../call.ts'
import { isOwnFault } from '../own-faults.ts'
import type { Replica } from '../pools/replica.ts'
import type { Exchange, Send } from '../ports.ts'
import type { AttemptPlace } from '../upstream/failover.ts'
import { backendOf } from '../upstream/failover-ports.ts'
import { BufferedInference, StreamedInference } from '../upstream/inference.ts'
import type { UpstreamPorts } from '../upstream/ports.ts'
import { AnswerRecord } from './answer-record.ts'
import type { CopyClient } from './mirrors.ts'

/** How a copy ended. */
export interface CopyEnd {
  readonly end: AnswerFacts['end']
  readonly facts: AnswerFacts
  /** Absent where no backend worked for it. */
  readonly work?: Work
  readonly cause?: string
}

/** Fields that the pool may refuse, and that a copy is sent again without. */
const MOST_REWORDED = 3
/** A longer answer is given up. */
const MOST_ANSWER_BYTES = 4_000_000

/** A copy of an admitted request, for one pool. It holds nothing of its account, has no second replica, and moves no breaker. */
export class Copy {
  readonly #gateway: UpstreamPorts
  readonly #call: Call
  readonly #admitted: LeasedCall
  readonly #pool: Pool
  #wantsJson = false

  constructor(gateway: UpstreamPorts, call: Call, admitted: LeasedCall, pool: Pool) {
    this.#gateway = { ...gateway, send: bounded(gateway.send) }
    const { requestId, caller, wire, headers } = call
    const trying = () => {}
    this.#call = { requestId: `${requestId}-mirror`, caller, wire, headers, client: call.client, trying }
    this.#admitted = { ...admitted, lease: NO_LEASE, queued: { ms: 0 } }
    this.#pool = pool
  }

  /** Sends it, and reads the answer to its end. Never rejects for what a backend does. */
  async send(replica: Replica, client: CopyClient): Promise<CopyEnd> {
    replica.takes()
    try {
      const sent = await this.#sent(replica, client)
      return this.#wantsJson ? sent : withoutJson(sent)
    } finally {
      replica.frees()
    }
  }

  async #sent(replica: Replica, client: CopyClient): Promise<CopyEnd> {
    const record = new AnswerRecord(this.#gateway.clock)
    const outbound = this.#outboundOf({ ...this.#call, client }, record)
    const place = this.#placeAt(replica)
    for (let reworded = 0; ; reworded++) {
      const target = outbound.targetAt(place, undefined)
      this.#wantsJson = asksForJson(target.body)
      const outcome = await outbound.attempt(target)
      if (outcome.kind === 'answered') {
        outbound.answered(this.#pool)
        const ended = await endOf(outcome.answer, record, client)
        const { how: end, cause } = ended
        return { end, facts: await record.done, work: ended, ...(end === 'failed' && { cause }) }
      }
      if (mayReword(outcome, reworded) && outbound.reword(this.#pool, outcome.unsupported)) continue
      return this.#unanswered(outcome, record)
    }
  }

  async #unanswered(outcome: NoAnswer, record: AnswerRecord): Promise<CopyEnd> {
    const end = outcome.kind === 'left' || isOwnFault(outcome.cause) ? 'left' : 'failed'
    record.end(end)
    const { work } = outcome.kind === 'rejected' ? {} : outcome
    const facts = await record.done
    return { end, facts, ...(work && { work }), ...(outcome.kind !== 'left' && { cause: outcome.cause }) }
  }

  #outboundOf(call: Call, record: AnswerRecord): BufferedInference | StreamedInference {
    const { stream } = call.wire
    return stream
      ? new StreamedInference(this.#gateway, call, this.#admitted, stream, record)
      : new BufferedInference(this.#gateway, call, this.#admitted, record)
  }

  #placeAt(replica: Replica): AttemptPlace {
    const settings = backendOf(this.#gateway.settings, this.#pool)
    return { pool: this.#pool, replica: replica.url, fresh: false, settings, pick: undefined, isCopy: true }
  }
}

/** Only where a request asks for JSON does it say something whether its answer is. */
function withoutJson({ facts: { isJson: _, ...facts }, ...end }: CopyEnd): CopyEnd {
  return { ...end, facts }
}

const mayReword = (outcome: NoAnswer, reworded: number): outcome is Rejected & { readonly unsupported: string } =>
  outcome.kind === 'rejected' && outcome.unsupported !== undefined && reworded < MOST_REWORDED

/** The end of an answer that began: of a stream once all of it came. */
function endOf(answer: AnswerStream | WholeAnswer, record: AnswerRecord, client: CopyClient): Promise<EndedAnswer> {
  if (!(answer instanceof AnswerStream)) {
    record.whole(answer)
    return Promise.resolve({ ...answer, how: 'well', cause: '' })
  }
  return new Promise(resolve => {
    client.onGone(() => resolve(answer.abort()))
    answer.attach({ write: () => {}, end: resolve })
  })
}

/** Nothing is charged for a copy, and nothing of it must outlive its process. */
const NO_LEASE: Lease = {
  dispatched: () => {},
  speaking: () => {},
  extended: () => {},
  joined: () => undefined,
  end: () => {},
}

/** Ends an answer that is longer than a copy's may be: nobody reads it, and its memory counts for no account. */
const bounded =
  (send: Send): Send =>
  (request, listener) => {
    let left = MOST_ANSWER_BYTES
    const exchange: Exchange = send(request, {
      connected: () => listener.connected(),
      head: head => listener.head(head),
      data: bytes => {
        if (left < 0) return
        left -= bytes.length
        if (left >= 0) return listener.data(bytes)
        exchange.abort()
        listener.failed(new AnswerTooLong(), false)
      },
      end: () => listener.end(),
      failed: (error, stale) => listener.failed(error, stale),
    })
    return exchange
  }

class AnswerTooLong extends Error {
  override readonly name = 'answer too large'
}
