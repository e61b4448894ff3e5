import type { Said } from '../../gateway/responses/kept-responses.ts'
import type { Denied } from '../../policy/denial.ts'
import type { Bill } from '../../records/ledger-row.ts'
import { type WithoutLikelihoods, withoutLikelihoods } from '../../wire/fast/likelihoods.ts'
import { textOf } from '../../wire/json-bytes.ts'
import { asObject, type JsonObject } from '../../wire/json-safety.ts'
import type { Thread } from '../../wire/openai/request.ts'
import { finalResponse, reframed } from '../../wire/responses/reframe.ts'
import { allAtOnce, oneStep, type Steps } from '../../wire/steps.ts'
import type { HttpCall } from '../listener/call.ts'
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

  async whole(bytes: Buffer, isNative: boolean): Promise<Buffer> {
    const { response, light } = await this.#run(bytes.length, readLight(bytes))
    const isKept = await this.#keep(response, { isNative, ...(light && { light }) }, bytes.length)
    return this.#run(bytes.length, writtenLight(this.#stated(response, isKept), light))
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
      fail: error => reframed(form.fail(error), ({ response }) => this.#stated(response, false)),
    }
  }

  async #end(form: StreamForm, bill: Bill, isNative: boolean): Promise<string> {
    const last = await form.end(bill)
    const response = await this.#run(
      last.length,
      oneStep(() => finalResponse(last)),
    )
    const isKept = response !== undefined && (await this.#keep(response, { isNative }, last.length))
    return this.#run(
      last.length,
      oneStep(() => reframed(last, ({ response }) => this.#stated(response, isKept))),
    )
  }

  /** Work with as many bytes of the answer, in a turn of the account where it takes long. */
  async #run<T>(bytes: number, work: Steps<T>): Promise<T> {
    return bytes > LIGHT_BYTES ? this.#call.costs.read(work) : allAtOnce(work)
  }

  async #keep(response: JsonObject, about: Pick<Said, 'isNative' | 'light'>, bytes: number): Promise<boolean> {
    const { said } = this.#thread
    const { keeper } = this.#call
    if (!said || keeper === undefined || !this.#app.responses) return false
    const call = this.#call
    return this.#app.responses.keep(keeper, { ...said, ...about }, this.#stated(response, true), {
      read: steps => call.costs.read(steps),
      charge: took => call.costs.charge(took),
      bytes,
    })
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

/** To read or write less takes no longer than to wait for a turn. */
const LIGHT_BYTES = 65_536

/** What the first events are called that hold a response, and every one after them that an answer has. */
const FRAME = 'event: response.'
const BEGUN = 'event: response.output_item.added'
