import { atOnce, type ReadInTurn, workOnCopy } from '../../gateway/answer/copy.ts'
import type { Said } from '../../gateway/responses/kept-responses.ts'
import type { Millis } from '../../policy/config.ts'
import type { Denied } from '../../policy/denial.ts'
import type { Bill } from '../../records/ledger-row.ts'
import { type WithoutLikelihoods, withoutLikelihoods } from '../../wire/fast/likelihoods.ts'
import { textOf } from '../../wire/json-bytes.ts'
import { asObject, type JsonObject } from '../../wire/json-safety.ts'
import type { Thread } from '../../wire/openai/request.ts'
import { finalResponse, reframed } from '../../wire/responses/reframe.ts'
import { oneStep, type Steps } from '../../wire/steps.ts'
import type { HttpCall } from '../listener/call.ts'
import { ClientLeft } from '../listener/request-input.ts'
import type { StreamForm } from '../stream-form.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of keeping responses. */
type KeepingApp = Pick<ClientApp, 'bodies' | 'responses'>

/** Counts what is kept of responses among the bodies in memory, as long as an answer with it lasts; or says that there is no room. */
export function holdKept(app: KeepingApp, call: HttpCall, account: string, bytes: number): Denied | undefined {
  const held = app.bodies.open({ account, address: call.clientAddress })
  call.onClosed(() => held.release())
  held.add(bytes)
  held.complete()
  return held.denial && { denial: held.denial }
}

/** Keeps the answer of one request, and writes into it whether it is kept, and what it goes on from. */
export class KeptAnswer {
  readonly #app: KeepingApp
  readonly #call: HttpCall
  readonly #thread: Thread

  constructor(app: KeepingApp, call: HttpCall, thread: Thread) {
    this.#app = app
    this.#call = call
    this.#thread = thread
  }

  /** Bytes of the earlier conversation. */
  get saidBytes(): number {
    return this.#thread.said?.input.length ?? 0
  }

  async whole(bytes: Buffer, isNative: boolean, inTurn: ReadInTurn): Promise<Buffer> {
    const { response, light } = await inTurn(readLight(bytes))
    const isKept = await this.#keep(response, { isNative, ...(light && { light }) }, inTurn)
    return inTurn(writtenLight(this.#stated(response, isKept), light))
  }

  /** Whether the answer is kept is known when it ends: what comes before says what is meant. */
  stream(form: StreamForm, isNative: boolean): StreamForm {
    const isMeant = this.#thread.said !== undefined
    let begun = false
    return {
      write: events => {
        const text = form.write(events)
        if (begun || !text.includes(FRAME)) return text
        begun = text.includes(BEGUN)
        return reframed(text, ({ response }) => this.#stated(response, isMeant))
      },
      end: bill => this.#end(form, bill, isNative),
      ...(form.keepsSaid && { keepsSaid: true }),
      fail: error => reframed(form.fail(error), ({ response }) => this.#stated(response, false)),
    }
  }

  async #end(form: StreamForm, bill: Bill, isNative: boolean): Promise<string> {
    const last = await form.end(bill)
    const write = (inTurn: ReadInTurn) => this.#lastKept(last, isNative, inTurn)
    const { saidBytes } = this
    const isLight = last.length + saidBytes <= LIGHT_BYTES
    const written = isLight ? { is: await write(atOnce) } : await workOnCopy(this.#call.costs, write, saidBytes)
    // Its connection breaks: a partial answer must not look complete.
    if (written === 'lost') throw new ClientLeft()
    return written.is
  }

  async #lastKept(last: string, isNative: boolean, inTurn: ReadInTurn): Promise<string> {
    const response = await inTurn(oneStep(() => finalResponse(last)))
    const isKept = response !== undefined && (await this.#keep(response, { isNative }, inTurn))
    return inTurn(oneStep(() => reframed(last, ({ response }) => this.#stated(response, isKept))))
  }

  async #keep(response: JsonObject, about: Pick<Said, 'isNative' | 'light'>, inTurn: ReadInTurn): Promise<boolean> {
    const { said } = this.#thread
    const { keeper } = this.#call
    if (!said || keeper === undefined || !this.#app.responses) return false
    const charge = (took: Millis) => this.#call.costs.charge(took)
    return this.#app.responses.keep(keeper, { ...said, ...about }, this.#stated(response, true), { inTurn, charge })
  }

  #stated(response: JsonObject, isKept: boolean): JsonObject {
    return { ...response, store: isKept, previous_response_id: this.#thread.previous }
  }
}

/** A response, without its likelihoods where they are many. */
function* readLight(bytes: Buffer): Steps<{ response: JsonObject; light: WithoutLikelihoods | undefined }> {
  const light = yield* withoutLikelihoods(bytes)
  return { response: asObject(JSON.parse(textOf(light?.bytes ?? bytes))), light }
}

function* writtenLight(response: JsonObject, light: WithoutLikelihoods | undefined): Steps<Buffer> {
  const json = Buffer.from(JSON.stringify(response))
  return light ? yield* light.restored(json) : json
}

/** Smaller bodies are handled at once: waiting for a turn would take longer. */
const LIGHT_BYTES = 65_536

/** The names of the first events, which hold a response, and of the first one that an answer has after them. */
const FRAME = 'event: response.'
const BEGUN = 'event: response.output_item.added'
