import type { DialectName } from './backend-dialects.ts'
import type { CapField, EpochMs, Overage } from './config.ts'
import type { ClientDialectName } from './dialect-members.ts'
import type { Labels } from './label-values.ts'
import type { LimitRule } from './limits/rule.ts'
import type { NanoUsd } from './nano-usd.ts'
import type { CacheTime } from './price.ts'
import type { BusyPool } from './replica-load.ts'

/** The facts about one request: plain JSON without prompt text, so that a logged line can be decided again. */
export interface Facts {
  readonly at: EpochMs
  readonly caller: Caller
  readonly request: InferenceRequest
  readonly health: Health
  /** Whether each matcher found what it looks for in the text and the headers, by its name. */
  readonly signals: Readonly<Record<string, boolean>>
}

export interface Caller {
  readonly kind: 'developer' | 'guest'
  /** `acct_…`, or `dev_…` of a guest's device; every counter belongs to it, so that rotating a key resets nothing. */
  readonly account: string
  /** The masked key, as shown to its owner; null for a sign-in without a key. */
  readonly keyPrefix: string | null
  readonly terms: Terms
  /** The terms of the org that the account belongs to; absent where it belongs to none. */
  readonly orgTerms?: OrgTerms
  /** The key that the request came with; absent for a sign-in. */
  readonly key?: CallerKey
}

/** Policy's view of a key. None of it is secret. */
export interface CallerKey {
  /** `key_…` */
  readonly id: string
  /** The key's own limits, which apply in addition to the account's. A limit without a scope counts the key. */
  readonly limits?: readonly LimitRule[]
  /**
   * The id of the first key in this key's chain of rotations. Limits of keys count the whole chain as one key, so that
   * a rotation frees nothing. Absent if the key replaced none.
   */
  readonly origin?: string
  /** The account's name for it. Absent for the first key of an account. */
  readonly name?: string
  /** The models and tiers (`tier:basic`) that the key may use, among those of the plan. Absent: all of them. */
  readonly models?: readonly string[]
  /** The labels set at the mint, by name. */
  readonly labels?: Labels
}

/**
 * The decisions of operators and the identity provider about an account. With the configuration they determine its
 * plan.
 */
export interface Terms {
  /** The plan an operator chose. */
  readonly override?: string
  /** The plan that the sign-in token claims. */
  readonly claimed?: string
  /** An operator's override of the plan's. */
  readonly overage?: Overage
  /** Credit on top of the plan's allotment, by the start of the billing window. */
  readonly grants?: Readonly<Record<EpochMs, NanoUsd>>
  /** An operator froze the account: all of its requests are refused. */
  readonly frozen?: true
  /** An operator's limits, replacing the plan's of the same kind or adding to them. */
  readonly limits?: readonly LimitRule[]
  /** The name of the org that the account belongs to. */
  readonly org?: string
  /** Set if the groups in the sign-in token name the org; absent if an operator chose it. */
  readonly orgClaimed?: true
  /** The identity provider deactivated the person: all requests of the account are refused. */
  readonly deactivated?: true
}

/** The decisions about an org, which apply to all of its accounts. */
export type OrgTerms = Pick<Terms, 'frozen' | 'limits'>

/** Whether all requests of a caller are refused, whatever its plan. */
export const isFrozen = ({ terms, orgTerms }: Pick<Caller, 'terms' | 'orgTerms'>): boolean =>
  terms.frozen === true || terms.deactivated === true || orgTerms?.frozen === true

/** Terms as stores and decision logs write them. The name of the cap is older than its unit, which is nano-USD too. */
export type StoredTerms = Omit<Terms, 'overage'> & {
  readonly overage?: boolean | { readonly capUsd: NanoUsd }
}

export function storedTerms(terms: Terms): StoredTerms {
  const { overage } = terms
  return typeof overage === 'object'
    ? { ...terms, overage: { capUsd: overage.capNanoUsd } }
    : (terms as Terms & { overage?: boolean })
}

/** Reads what `storedTerms` made. */
export function termsOfStored(stored: StoredTerms): Terms {
  const { overage } = stored
  return typeof overage === 'object'
    ? { ...stored, overage: { capNanoUsd: overage.capUsd } }
    : (stored as StoredTerms & { overage?: boolean })
}

/** The part of a request that the policy sees. */
export type InferenceRequest = ChatAsk | EmbeddingAsk | ImageAsk | PassthroughAsk

interface Ask {
  /** As the client wrote it; absent if the client named no model. */
  readonly model?: string
  /** UTF-8 bytes of everything that a model may read. */
  readonly textBytes: number
  /** A digest of the end user that the request names: 22 characters of base64url. Limits per user count by it. */
  readonly user?: string
  /**
   * Label values from the request's headers, by name, as the client wrote them; `labelsFor` checks them. Absent if
   * there are none.
   */
  readonly labels?: Labels
  /** The id of its conversation, or a digest of the id. Absent if the request names none. */
  readonly session?: string
  /** Picks the conversation's side of a traffic share. Absent if no model has shares. */
  readonly draw?: Draw
}

/** A digest of a conversation, 32 bits; in a simulation, the name of the pool whose share it belongs to. */
export type Draw = number | string

/** A request whose body consists of fields. */
interface FieldsAsk extends Ask {
  /** Fields that are not part of the dialect but declared by some model of the files. Absent if there are none. */
  readonly extras?: Readonly<Record<string, Extra>>
}

/** A field as limits on its value see it. It holds no text of the client, except words that the files list. */
export interface Extra {
  /** A number, a boolean, or a word that the files list. */
  readonly value?: number | boolean | string
  /** The length of a text. */
  readonly characters?: number
  /** Bytes of its JSON. */
  readonly bytes: number
  /** The value is the default, so the field is omitted for models that do not declare it. */
  readonly isDefault?: true
}

export interface ChatAsk extends FieldsAsk {
  readonly kind: 'chat'
  readonly stream: boolean
  readonly messages: number
  readonly images: number
  /** Tools that the model may call. */
  readonly tools: number
  /** The hosted tools among them, in the order in which the request lists them. */
  readonly hosted?: readonly string[]
  /** The client's own output cap and the field it used. */
  readonly cap?: { readonly field: CapField; readonly tokens: number }
  /** Completions asked for, 1 to 4. */
  readonly choices: number
  /**
   * Optional fields, such as `seed`, under the client's names: a backend that refuses them may be asked without them.
   * Absent if there are none.
   */
  readonly optional?: readonly string[]
  /** Set where a message has the role `developer`. */
  readonly developer?: true
  /** `chat_template_kwargs.enable_thinking`, when given. */
  readonly thinking?: boolean
  /** The client's dialect, unless it is chat completions. */
  readonly dialect?: ClientDialectName
  /** Tools that a translation drops, such as `web_search`. Absent if it drops none. */
  readonly losses?: readonly string[]
  /** Fields that a translation drops, such as `seed`, by target dialect. */
  readonly lostFields?: LostFields
  /**
   * Tools that the backend runs and charges for itself, such as `web_search`, if the request is sent in the client's
   * dialect; each listed once. Absent if there are none, or the gateway runs them.
   */
  readonly providerTools?: readonly string[]
  /** The provider tools that may be removed: pools that do not allow them get the request without them. */
  readonly cuttable?: readonly string[]
  /** Its size in the client's dialect, if larger than as a chat. */
  readonly native?: NativeSize
  /**
   * The longest time for which the request's cache marks ask the backend to keep the prompt. Absent if it has no marks.
   */
  readonly cacheTime?: CacheTime
  /**
   * Members that the client's dialect does not define, such as `input.content.uuid`, each listed once by its path, if
   * the request is sent in that dialect. Absent if there are none.
   */
  readonly unknown?: readonly string[]
  /** The path of the first URL that a backend of the client's dialect would fetch. */
  readonly address?: string
  /** The field that has no counterpart in other dialects: only pools of the client's dialect can answer. */
  readonly onlyNative?: OnlyNative
}

/** Fields that a translation into a dialect drops. Absent if it drops none. */
export type LostFields = { readonly [Into in DialectName]?: readonly string[] }

/** The size of a request before a tokenizer has seen it. */
export interface NativeSize {
  /** UTF-8 bytes of everything that a model may read. */
  readonly bytes: number
  readonly images: number
  /** It contains a file, whose tokens only the context window bounds. */
  readonly isUnbounded?: true
}

/** The first field of a request that has no counterpart in other dialects. */
export interface OnlyNative {
  readonly field: string
  readonly problem: string
  /** OpenAI's code for it, such as `unsupported_value`. */
  readonly reason?: string
}

export interface EmbeddingAsk extends FieldsAsk {
  readonly kind: 'embedding'
  readonly inputs: number
  /** Set if the inputs are token ids instead of texts. */
  readonly tokenIds?: true
  /** Set if the client requests base64 vectors. */
  readonly base64?: true
  /** `dimensions`, when given. */
  readonly dimensions?: number
}

export interface ImageAsk extends FieldsAsk {
  readonly kind: 'image'
  /** Images asked for, 1 to 4. */
  readonly images: number
  readonly size?: string
}

export interface PassthroughAsk extends Ask {
  readonly kind: 'passthrough'
  /** The path of the route. */
  readonly path: string
  /** As for a chat, if the body is JSON. */
  readonly cacheTime?: CacheTime
}

/** How long a request asks its backend to keep the prompt. For a declared field, policy knows only its size. */
export function cacheTimeOf(request: InferenceRequest): CacheTime | undefined {
  if (request.kind === 'embedding' || request.kind === 'image') return undefined
  return extraCacheTime(request) ?? request.cacheTime
}

/** The cache time by a field that its model declares. */
export const extraCacheTime = (request: InferenceRequest): CacheTime | undefined =>
  request.kind === 'chat' && request.extras?.cache_control ? '1h' : undefined

export interface Health {
  /** Names of the pools without a usable replica. */
  readonly down: readonly string[]
  /** The pools whose usable replicas are all overloaded. Absent if there are none. */
  readonly busy?: readonly BusyPool[]
  /** The pools that this conversation sticks to. Absent if there are none. */
  readonly stays?: readonly string[]
}
