import type { AdmittedCall } from '../../gateway/admission/admit.ts'
import { rateAfter } from '../../gateway/admission/rate-state.ts'
import type { ReadInTurn } from '../../gateway/answer/copy.ts'
import type { LiveStream, NativeEnding } from '../../gateway/answer/live-stream.ts'
import type { Served } from '../../gateway/request.ts'
import type { Pool } from '../../policy/config.ts'
import type { ChatAsk } from '../../policy/facts.ts'
import { estimatedInput } from '../../policy/sizing.ts'
import type { AnswerWriter, AskedModel } from '../../wire/client-dialect.ts'
import { CLIENT_DIALECTS, type ClientDialectRow } from '../../wire/client-dialects.ts'
import { knownJsonBytes } from '../../wire/fast/known-json.ts'
import { withoutLikelihoods } from '../../wire/fast/likelihoods.ts'
import { textOf } from '../../wire/json-bytes.ts'
import { asObject } from '../../wire/json-safety.ts'
import { eventObjects } from '../../wire/openai/event-objects.ts'
import type { Spoken, WireRequest } from '../../wire/openai/request.ts'
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
  /** The dialect of the client; undefined for a body of another one where chats are asked for. */
  readonly #dialect: ClientDialectRow | undefined
  /** Set for a client that wants the name of the model that it asked for; others get that of the model that answers. */
  readonly #asked: { readonly model: string; readonly names: AskedModel } | undefined
  readonly #kept: KeptAnswer | undefined
  readonly #ignoresStore: boolean
  #writer: AnswerWriter | undefined

  constructor(app: FormApp, call: HttpCall, { request, spoken, thread, ignoresStore = false }: WireRequest) {
    if (!spoken || request.kind !== 'chat') throw new Error('only a chat can be translated from another dialect')
    this.#app = app
    this.#call = call
    this.#spoken = spoken
    this.#request = request
    this.#dialect = spoken.own && CLIENT_DIALECTS[spoken.own.dialect]
    const names = this.#dialect?.client.askedModel
    const { model } = request
    if (model !== undefined && names?.isWanted(call.request.headers['user-agent'])) this.#asked = { model, names }
    this.#kept = thread && new KeptAnswer(app, call, thread)
    this.#ignoresStore = ignoresStore
  }

  /** Bytes of the earlier conversation, which is kept with the answer. */
  get saidBytes(): number {
    return this.#kept?.saidBytes ?? 0
  }

  /** Adds headers to those that all answers have. */
  addHeaders(headers: Record<string, string>, { admitted }: Pick<Answered, 'admitted'>): void {
    const { requestId, addRate } = this.#dialect?.errors.headers ?? {}
    if (requestId !== undefined) headers[requestId] = this.#call.requestId
    addRate?.(headers, rateAfter(admitted), this.#app.clock.now())
    if (this.#ignoresStore) headers[`x-${this.#app.settings.brand}-store`] = 'ignored'
  }

  *whole({ bytes, bill, isNative: isWritten, ...answered }: WholeServed): Steps<Buffer> {
    if (isWritten) return this.#asked ? this.#asked.names.answer(bytes, this.#asked.model) : bytes
    const light = yield* withoutLikelihoods(bytes)
    const completion = asObject(JSON.parse(textOf(light?.bytes ?? bytes)))
    yield
    const writer = this.#writerOf(answered)
    const answer = writer.whole(completion, bill)
    yield
    const json = knownJsonBytes(answer)
    return light ? yield* light.restored(json, writer.tokenForm) : json
  }

  /** Keeps a whole answer, if requested, and says so in it. */
  keep(written: Buffer, { isNative }: Pick<WholeServed, 'isNative'>, inTurn: ReadInTurn): Buffer | Promise<Buffer> {
    return this.#kept?.whole(written, isNative === true, inTurn) ?? written
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
      keepsSaid: true,
      ...this.#pings,
    }
  }

  get #pings(): Pick<StreamForm, 'ping'> {
    const ping = this.#dialect?.client.ping
    return ping === undefined ? {} : { ping }
  }

  #native(native: NativeEnding): StreamForm {
    const asked = this.#asked
    return {
      write: asked ? events => asked.names.events(events, asked.model) : events => events,
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
      model: this.#asked?.model ?? pool.model,
      inputTokens: model.kind === 'chat' ? estimatedInput(model, this.#request) : 0,
      newId: () => Buffer.from(this.#app.random(18)).toString('hex'),
    })
    return this.#writer
  }
}
