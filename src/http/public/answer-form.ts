import type { AdmittedCall } from '../../gateway/admission/admit.ts'
import { rateAfter } from '../../gateway/admission/rate-state.ts'
import type { LiveStream, NativeEnding } from '../../gateway/answer/live-stream.ts'
import type { Served } from '../../gateway/request.ts'
import type { Pool } from '../../policy/config.ts'
import type { ChatAsk } from '../../policy/facts.ts'
import { estimatedInput } from '../../policy/sizing.ts'
import type { AnswerWriter } from '../../wire/client-dialect.ts'
import { withoutLikelihoods } from '../../wire/fast/likelihoods.ts'
import { textOf } from '../../wire/json-bytes.ts'
import { asObject } from '../../wire/json-safety.ts'
import { answerNamed, comparesModels, startNamed } from '../../wire/messages/asked-model.ts'
import { eventObjects } from '../../wire/openai/event-objects.ts'
import type { Spoken, WireRequest } from '../../wire/openai/request.ts'
import { addAnthropicRate } from '../../wire/quota-headers.ts'
import { namedEvent } from '../../wire/sse.ts'
import type { Steps } from '../../wire/steps.ts'
import type { HttpCall } from '../listener/call.ts'
import type { StreamForm } from '../stream-form.ts'
import type { ClientApp } from './client-app.ts'
import { KeptAnswer } from './kept-answer.ts'

/** Dependencies of writing answers. */
type FormApp = Pick<ClientApp, 'clock' | 'random' | 'settings' | 'bodies' | 'responses'>

/** Who answers. */
interface Answered {
  readonly admitted: AdmittedCall
  readonly pool: Pool
}

type WholeServed = Extract<Served, { readonly kind: 'whole' }>

/** Answers to a request whose client does not read chats as backends write them. */
export class SpokenAnswer {
  readonly #app: FormApp
  readonly #call: HttpCall
  readonly #spoken: Spoken
  readonly #request: ChatAsk
  /** The name of the model for clients that want the one that they asked for; others get that of the model that answers. */
  readonly #named: string | undefined
  readonly #kept: KeptAnswer | undefined
  readonly #ignoresStore: boolean
  #writer: AnswerWriter | undefined

  constructor(app: FormApp, call: HttpCall, { request, spoken, thread, ignoresStore = false }: WireRequest) {
    if (!spoken || request.kind !== 'chat') throw new Error('only chats are asked for in another dialect')
    this.#app = app
    this.#call = call
    this.#spoken = spoken
    this.#request = request
    if (spoken.own?.dialect === 'messages' && comparesModels(call.request.headers['user-agent']))
      this.#named = request.model
    this.#kept = thread && new KeptAnswer(app, call, thread)
    this.#ignoresStore = ignoresStore
  }

  /** Adds the headers of an answer beside those that all answers have. */
  addHeaders(headers: Record<string, string>, { admitted }: Pick<Answered, 'admitted'>): void {
    if (this.#spoken.own?.dialect === 'messages') {
      headers['request-id'] = this.#call.requestId
      addAnthropicRate(headers, rateAfter(admitted), this.#app.clock.now())
    }
    if (this.#ignoresStore) headers[`x-${this.#app.settings.brand}-store`] = 'ignored'
  }

  *whole({ bytes, bill, isNative: isWritten, ...answered }: WholeServed): Steps<Buffer> {
    if (isWritten) return this.#named === undefined ? bytes : answerNamed(bytes, this.#named)
    const light = yield* withoutLikelihoods(bytes)
    const completion = asObject(JSON.parse(textOf(light?.bytes ?? bytes)))
    yield
    const writer = this.#writerOf(answered)
    const answer = writer.whole(completion, bill)
    yield
    const json = Buffer.from(JSON.stringify(answer))
    return light ? yield* light.restored(json, writer.tokenForm) : json
  }

  /** Keeps a whole answer, where that was asked for, and says so in it. */
  keep(written: Buffer, { isNative }: Pick<WholeServed, 'isNative'>): Buffer | Promise<Buffer> {
    return this.#kept?.whole(written, isNative === true) ?? written
  }

  /** The form of a stream that a pool answers with. */
  stream(answered: Answered, stream: LiveStream): StreamForm {
    const form = stream.native ? this.#native(stream.native) : this.translated(answered)
    return this.#kept?.stream(form, stream.native !== undefined) ?? form
  }

  /** The form of a stream of chunks. */
  translated(answered: Answered): StreamForm {
    const writer = this.#writerOf(answered)
    return {
      write: events => Array.from(eventObjects(events), chunk => writer.chunk(chunk)).join(''),
      end: bill => writer.end(bill),
      fail: error => writer.fail(error),
      ...this.#pings,
    }
  }

  get #pings(): Pick<StreamForm, 'ping'> {
    return this.#spoken.own?.dialect === 'messages' ? PINGS : {}
  }

  #native(native: NativeEnding): StreamForm {
    const model = this.#named
    return {
      write: model === undefined ? events => events : events => startNamed(events, model),
      end: () => native.last,
      fail: error => native.fail(error, this.#call.requestId),
      ...this.#pings,
    }
  }

  #writerOf({ admitted, pool }: Answered): AnswerWriter {
    const { model } = admitted.decision
    this.#writer ??= this.#spoken.writer({
      requestId: this.#call.requestId,
      created: Math.floor(this.#app.clock.now() / 1000),
      model: this.#named ?? pool.model,
      inputTokens: model.kind === 'chat' ? estimatedInput(model, this.#request) : 0,
      newId: () => Buffer.from(this.#app.random(18)).toString('hex'),
    })
    return this.#writer
  }
}

/** As Anthropic fills one: its clients wait for events, not for comments. */
const PINGS = { ping: namedEvent('ping', '{"type":"ping"}') }
