import type { ResponseSettings } from '../../config/settings.ts'
import type { Denied } from '../../policy/denial.ts'
import { joined } from '../../wire/fast/joined.ts'
import type { WithoutLikelihoods } from '../../wire/fast/likelihoods.ts'
import type { MarkedTexts } from '../../wire/fast/marked-texts.ts'
import { hasTooManyValues, MAX_VALUES } from '../../wire/fast/outline.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import { parseOwn } from '../../wire/openai/body.ts'
import type { Thread } from '../../wire/openai/request.ts'
import { idsOf, isAnswer, isReadable, outputOf } from '../../wire/responses/kept-items.ts'
import type { Steps } from '../../wire/steps.ts'
import type { Identified } from '../accounts/identified.ts'
import { atOnce, type ReadInTurn, RoomLost } from '../answer/copy.ts'
import type { Alarm, AnswerCosts, Random } from '../ports.ts'
import { isName, type ResponseStore } from '../store/response-store.ts'
import { type Hold, MOST_BYTES, NONCE_BYTES, Sealer } from './sealed-response.ts'

/**
 * The owner of kept responses: an account, or one of its keys that isolates its responses. Responses are encrypted for
 * this name, so that no other owner can open them.
 */
export const keeperOf = ({ caller: { account }, apart }: Identified): string =>
  apart === undefined ? account : `${account} ${apart}`

const accountOf = (keeper: string): string => keeper.split(' ', 1)[0] ?? keeper

/** Keeps the responses of accounts, encrypted, as far as the configuration allows. */
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
   * Keeps an answer with the conversation before it. Resolves to whether it is kept: a failure here does not fail the
   * answer. Rejects only if the answer lost its room in memory.
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

  /** Reserves memory before each step: for the stored bytes, and then for the text as it is unpacked. */
  async read(keeper: string, id: string, { hold, work }: Reading): Promise<KeptResponse | Denied | undefined> {
    const account = accountOf(keeper)
    const size = await this.#store.sizeOf(account, id)
    if (size === undefined) return undefined
    const crowded = hold(size)
    if (crowded) return crowded
    const sealed = await this.#store.read(account, id)
    const opened = sealed && (await this.#sealer.open({ account: keeper, id }, sealed, hold))
    if (!opened || 'denial' in opened) return opened
    const { pieces, bytes } = opened
    const { value: kept, texts } = await work(bytes, parsed(pieces))
    if (!isObject(kept) || !isObject(kept.response) || !Array.isArray(kept.input)) return undefined
    const input = kept.input.filter(isObject)
    const output = outputOf(kept.response)
    return {
      response: kept.response,
      input,
      items: Array.isArray(kept.items) ? kept.items.filter(item => typeof item === 'string') : [],
      said: [...input, ...(kept.isNative === true ? output.filter(isReadable) : output)],
      texts,
      bytes,
    }
  }

  /** Reads the newest response that contains an item. */
  async readByItem(keeper: string, item: string, reading: Reading): Promise<KeptResponse | Denied | undefined> {
    const id = await this.#store.findByItem(accountOf(keeper), item)
    return id === undefined ? undefined : this.read(keeper, id, reading)
  }

  /** An account removes responses of any of its keys; an isolated key, only its own. */
  async remove(keeper: string, id: string): Promise<boolean> {
    const account = accountOf(keeper)
    if (keeper !== account) {
      const sealed = await this.#store.read(account, id)
      if (!sealed || !this.#sealer.isFor({ account: keeper, id }, sealed)) return false
    }
    return this.#store.remove(account, id)
  }
}

/** The text to encrypt; undefined if it is too long to keep. */
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
  // No request could continue it: a conversation may have only as many values as a body.
  return hasTooManyValues(text) ? undefined : text
}

function* parsed(pieces: readonly Buffer[]): Steps<ReturnType<typeof parseOwn>> {
  return parseOwn(yield* joined(pieces))
}

/** Who is charged for keeping a response. */
export interface KeepingCosts extends Pick<AnswerCosts, 'charge'> {
  readonly inTurn: ReadInTurn
}

const FREE: KeepingCosts = { inTurn: atOnce, charge: () => {} }

/** Smaller texts take less time than waiting for a turn. */
const LIGHT_BYTES = 65_536

/** Node compresses in threads, which take time from the event loop if there are few processors. */
const PACKING_MS_PER_BYTE = 10 / 1_000_000

export interface KeepingPorts {
  readonly random: Random
  readonly alarm: Alarm
}

/** Who is charged for reading kept responses. */
export interface Reading {
  readonly hold: Hold
  readonly work: Work
}

/**
 * Runs work on so many bytes, whose steps block the event loop, in turns of the account. Rejects if nobody waits for the
 * result any more.
 */
export type Work = <T>(bytes: number, steps: Steps<T>) => Promise<T>

/** The conversation before an answer. */
export interface Said extends NonNullable<Thread['said']> {
  /** Whether the answer is in its backend's own dialect: it may refer to things that only that backend keeps. */
  readonly isNative: boolean
  /** Adds the log probabilities that the answer leaves out if there are many. */
  readonly light?: WithoutLikelihoods
}

export interface KeptResponse {
  /** The long texts of `input` and `said`, in which marks may stand for them. */
  readonly texts: MarkedTexts
  readonly response: JsonObject
  readonly input: readonly JsonObject[]
  /** The ids of its items, including items that other backends cannot read. */
  readonly items: readonly string[]
  /** The conversation with the answer, as far as other backends can read it. */
  readonly said: readonly JsonObject[]
  /** The size of its text, in bytes. */
  readonly bytes: number
}

/** The maximum of items, the newest ones, by which a response can be found. */
const MOST_ITEMS = 1024
