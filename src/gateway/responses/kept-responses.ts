import type { ResponseSettings } from '../../config/settings.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import { parse } from '../../wire/openai/chunk.ts'
import type { Thread } from '../../wire/openai/request.ts'
import { idsOf, isAnswer, isReadable, outputOf } from '../../wire/responses/kept-items.ts'
import type { Alarm, Random } from '../ports.ts'
import { isName, type ResponseStore } from '../store/response-store.ts'
import { MOST_BYTES, NONCE_BYTES, Sealer } from './sealed-response.ts'

/** Keeps the responses of accounts, sealed, as far as the configuration says. */
export class KeptResponses {
  readonly #settings: ResponseSettings
  readonly #store: ResponseStore
  readonly #ports: KeepingPorts
  readonly #sealer: Sealer

  constructor(settings: ResponseSettings, store: ResponseStore, ports: KeepingPorts) {
    this.#settings = settings
    this.#store = store
    this.#ports = ports
    this.#sealer = new Sealer(settings.keys.map(key => key.reveal()))
  }

  /** Keeps an answer with all that was said before it. Resolves to whether it is kept, and never rejects: an answer does not fail for that. */
  async keep(account: string, { input, items, isNative }: Said, response: JsonObject): Promise<boolean> {
    const { id } = response
    if (typeof id !== 'string' || !isName(id) || !isAnswer(response)) return false
    const found = [...new Set([...items, ...idsOf(outputOf(response))])].filter(isName).slice(-MOST_ITEMS)
    const text = `{"isNative":${isNative},"items":${JSON.stringify(found)},"response":${JSON.stringify(response)},"input":${input.toString()}}`
    if (text.length > MOST_BYTES || Buffer.byteLength(text) > MOST_BYTES) return false
    try {
      const sealed = await this.#sealer.seal({ account, id }, text, Buffer.from(this.#ports.random(NONCE_BYTES)))
      const { keep, maxBytes, maxResponses } = this.#settings
      return await this.#store.keep(
        { account, id, items: found, sealed, keep },
        { bytes: maxBytes, responses: maxResponses },
      )
    } catch (error) {
      this.#ports.alarm('a response could not be kept', { error: String(error) })
      return false
    }
  }

  /** `work` is where its text is parsed, which takes a while where it is long. */
  async read(account: string, id: string, work: Work): Promise<KeptResponse | undefined> {
    const sealed = await this.#store.read(account, id)
    const text = sealed && (await this.#sealer.open({ account, id }, sealed))
    if (text === undefined) return undefined
    const kept = await work(() => parse(text))
    if (!isObject(kept) || !isObject(kept.response) || !Array.isArray(kept.input)) return undefined
    const input = kept.input.filter(isObject)
    const output = outputOf(kept.response)
    return {
      response: kept.response,
      input,
      items: Array.isArray(kept.items) ? kept.items.filter(item => typeof item === 'string') : [],
      said: [...input, ...(kept.isNative === true ? output.filter(isReadable) : output)],
      bytes: Buffer.byteLength(text),
    }
  }

  /** The newest response with an item. */
  async readByItem(account: string, item: string, work: Work): Promise<KeptResponse | undefined> {
    const id = await this.#store.findByItem(account, item)
    return id === undefined ? undefined : this.read(account, id, work)
  }

  remove(account: string, id: string): Promise<boolean> {
    return this.#store.remove(account, id)
  }
}

export interface KeepingPorts {
  readonly random: Random
  readonly alarm: Alarm
}

/** Runs what blocks the event loop, when its time has come. */
export type Work = <T>(work: () => T) => Promise<T>

/** What was said before an answer. */
export interface Said extends NonNullable<Thread['said']> {
  /** Whether the answer is a backend's own: it may refer to what that backend does not keep. */
  readonly isNative: boolean
}

export interface KeptResponse {
  readonly response: JsonObject
  readonly input: readonly JsonObject[]
  /** The ids that items of it are found by, also of those that say nothing to other backends. */
  readonly items: readonly string[]
  /** The whole conversation with the answer, as far as other backends can read it. */
  readonly said: readonly JsonObject[]
  /** Of its text. */
  readonly bytes: number
}

/** The newest items that a response is found by. */
const MOST_ITEMS = 1024
