import type { ResponseSettings } from '../../config/settings.ts'
import type { Denied } from '../../policy/denial.ts'
import { joined } from '../../wire/fast/joined.ts'
import type { WithoutLikelihoods } from '../../wire/fast/likelihoods.ts'
import { hasTooManyValues, MAX_VALUES } from '../../wire/fast/outline.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import type { Thread } from '../../wire/openai/request.ts'
import { idsOf, isAnswer, isReadable, outputOf } from '../../wire/responses/kept-items.ts'
import type { Steps } from '../../wire/steps.ts'
import type { Identified } from '../accounts/identified.ts'
import { atOnce, type ReadInTurn, RoomLost } from '../answer/copy.ts'
import type { Alarm, AnswerCosts, Random } from '../ports.ts'
import { isName, type ResponseStore } from '../store/response-store.ts'
import { type Hold, MOST_BYTES, NONCE_BYTES, Sealer } from './sealed-response.ts'

/**
 * The keeper of responses: an account, or one of its keys that keeps its responses apart. They are sealed for this name, so that
 * no other keeper can open them.
 */
export const keeperOf = ({ caller: { account }, apart }: Identified): string =>
  apart === undefined ? account : `${account} ${apart}`

const accountOf = (keeper: string): string => keeper.split(' ', 1)[0] ?? keeper

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

  /**
   * Keeps an answer with all that was said before it. Resolves to whether it is kept: an answer does not fail for that. Rejects
   * only where the answer lost its room in memory.
   */
  async keep(keeper: string, said: Said, response: JsonObject, costs = FREE): Promise<boolean> {
    const { id } = response
    if (typeof id !== 'string' || !isName(id) || !isAnswer(response)) return false
    const found = [...new Set([...said.items, ...idsOf(outputOf(response))])].filter(isName).slice(-MOST_ITEMS)
    try {
      const text = await costs.inTurn(keptText(said, found, response))
      if (!text) return false
      if (text.length > LIGHT_BYTES) costs.charge(text.length * PACKING_MS_PER_BYTE)
      const nonce = Buffer.from(this.#ports.random(NONCE_BYTES))
      const sealed = await this.#sealer.seal({ account: keeper, id }, text, nonce, costs.inTurn)
      const { keep, maxBytes, maxResponses, maxBytesTotal } = this.#settings
      return await this.#store.keep(
        { account: accountOf(keeper), id, items: found, sealed, keep },
        { bytes: maxBytes, responses: maxResponses, total: maxBytesTotal },
      )
    } catch (error) {
      if (error instanceof RoomLost) throw error
      this.#ports.alarm('a response could not be kept', { error: String(error) })
      return false
    }
  }

  /** Takes room for each step before it: for what the store has, and then for its text as that grows. */
  async read(keeper: string, id: string, { hold, work }: Reading): Promise<KeptResponse | Denied | undefined> {
    const account = accountOf(keeper)
    const size = await this.#store.sizeOf(account, id)
    if (size === undefined) return undefined
    const crowded = hold(size)
    if (crowded) return crowded
    const sealed = await this.#store.read(account, id)
    const opened = sealed && (await this.#sealer.open({ account: keeper, id }, sealed, hold))
    if (!opened || 'denial' in opened) return opened
    const { text, bytes } = opened
    const kept = await work(bytes, () => parse(text))
    if (!isObject(kept) || !isObject(kept.response) || !Array.isArray(kept.input)) return undefined
    const input = kept.input.filter(isObject)
    const output = outputOf(kept.response)
    return {
      response: kept.response,
      input,
      items: Array.isArray(kept.items) ? kept.items.filter(item => typeof item === 'string') : [],
      said: [...input, ...(kept.isNative === true ? output.filter(isReadable) : output)],
      bytes,
    }
  }

  /** The newest response with an item. */
  async readByItem(keeper: string, item: string, reading: Reading): Promise<KeptResponse | Denied | undefined> {
    const id = await this.#store.findByItem(accountOf(keeper), item)
    return id === undefined ? undefined : this.read(keeper, id, reading)
  }

  /** An account removes what any of its keys kept; a key that keeps apart what it can read. */
  async remove(keeper: string, id: string): Promise<boolean> {
    const account = accountOf(keeper)
    if (keeper !== account) {
      const sealed = await this.#store.read(account, id)
      if (!sealed || !this.#sealer.isFor({ account: keeper, id }, sealed)) return false
    }
    return this.#store.remove(account, id)
  }
}

/** The text to seal; undefined where it is longer than is kept. */
function* keptText(
  { input, isNative, light }: Said,
  items: readonly string[],
  response: JsonObject,
): Steps<Buffer | undefined> {
  const before = `{"isNative":${isNative},"items":${JSON.stringify(items)},"response":${JSON.stringify(response)},"input":`
  yield
  const written = Buffer.from(before)
  const head = light ? yield* light.restored(written) : written
  if (head.length + input.length >= MOST_BYTES) return undefined
  const text = yield* joined([head, input, Buffer.from('}')])
  if (text.length <= MAX_VALUES) return text
  yield
  // No request could go on from it: a conversation has as many values as a body at most.
  return hasTooManyValues(text) ? undefined : text
}

/** At whose cost a response is kept. */
export interface KeepingCosts extends Pick<AnswerCosts, 'charge'> {
  readonly inTurn: ReadInTurn
}

const FREE: KeepingCosts = { inTurn: atOnce, charge: () => {} }

/** Less takes no longer than to wait for a turn. */
const LIGHT_BYTES = 65_536

/** Threads of node compress it: they take time from the event loop where there are few processors. */
const PACKING_MS_PER_BYTE = 10 / 1_000_000

export interface KeepingPorts {
  readonly random: Random
  readonly alarm: Alarm
}

/** At whose cost kept responses are read. */
export interface Reading {
  readonly hold: Hold
  readonly work: Work
}

/** Runs what blocks the event loop with so many bytes, when its time has come. Rejects where nobody waits for it any more. */
export type Work = <T>(bytes: number, work: () => T) => Promise<T>

/** The conversation before an answer. */
export interface Said extends NonNullable<Thread['said']> {
  /** Whether the answer is a backend's own: it may refer to what that backend does not keep. */
  readonly isNative: boolean
  /** Has the likelihoods that the answer is without, where they are many. */
  readonly light?: WithoutLikelihoods
}

export interface KeptResponse {
  readonly response: JsonObject
  readonly input: readonly JsonObject[]
  /** The ids that items of it are found by, also of those that say nothing to other backends. */
  readonly items: readonly string[]
  /** The whole conversation with the answer, as far as other backends can read it. */
  readonly said: readonly JsonObject[]
  /** Bytes of its text. */
  readonly bytes: number
}

/** The newest items that a response is found by. */
const MOST_ITEMS = 1024
