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
  /** Its own limits, beside those of its account, which hold as well. A limit that names no scope is of the key. */
  readonly limits?: readonly LimitRule[]
  /**
   * The id of the first of the keys in whose place it stands, one after the other: in limits of keys all of them count
   * as one, so that a rotation frees nothing. Absent where it replaced none.
   */
  readonly origin?: string
  /** The account's name for it. Absent for the first key of an account. */
  readonly name?: string
  /** Models and tiers, as `tier:basic`, of those that the plan includes: it may use no others. Absent: all of them. */
  readonly models?: readonly string[]
  /** The values of labels that it was minted with, by label. */
  readonly labels?: Labels
}

/** An operator's and the provider's decisions on an account. The configuration makes a plan of them. */
export interface Terms {
  /** The plan an operator chose. */
  readonly override?: string
  /** The plan that the sign-in token claims. */
  readonly claimed?: string
  /** An operator's override of the plan's. */
  readonly overage?: Overage
  /** Beside the plan's allotment, by start of the billing window. */
  readonly grants?: Readonly<Record<EpochMs, NanoUsd>>
  /** An operator froze the account: nothing is served for it. */
  readonly frozen?: true
  /** An operator's limits, replacing the plan's of the same kind or adding to them. */
  readonly limits?: readonly LimitRule[]
  /** The name of the org that the account belongs to. */
  readonly org?: string
  /** Set where the groups in the sign-in token name the org; absent where an operator chose it. */
  readonly orgClaimed?: true
  /** The identity provider deactivated the person: nothing is served for the account. */
  readonly deactivated?: true
}

/** The decisions on an org, which count for all of its accounts. */
export type OrgTerms = Pick<Terms, 'frozen' | 'limits'>

/** Whether nothing is served for a caller, whatever its plan. */
export const isFrozen = ({ terms, orgTerms }: Pick<Caller, 'terms' | 'orgTerms'>): boolean =>
  terms.frozen === true || terms.deactivated === true || orgTerms?.frozen === true

/** Terms as stores and decision logs write them. The name of the cap is older than its unit: it is nano-USD as well. */
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

/** A request, as far as policy needs to know it. */
export type InferenceRequest = ChatAsk | EmbeddingAsk | ImageAsk | PassthroughAsk

interface Ask {
  /** As the client wrote it; absent when it left the choice to us. */
  readonly model?: string
  /** UTF-8 bytes of everything that a model may read. */
  readonly textBytes: number
  /** A digest of the end user that the request names, for limits of users: 22 characters of base64url. */
  readonly user?: string
  /** The values that its headers give to labels, by label, as the client wrote them: checked by `labelsFor`. Absent where there are none. */
  readonly labels?: Labels
  /** The id of its conversation, or a digest of it. Absent where nothing names one. */
  readonly session?: string
  /** Shares of traffic choose its conversation by it. Absent where no model has any. */
  readonly draw?: Draw
}

/** A digest of a conversation, 32 bits; in a simulation, the name of the pool whose share it belongs to. */
export type Draw = number | string

/** A request whose body consists of fields. */
interface FieldsAsk extends Ask {
  /** The fields beyond the known ones that some model of the files declares. Absent where there are none. */
  readonly extras?: Readonly<Record<string, Extra>>
}

/** A field as a bound sees it: never a text that the files do not hold. */
export interface Extra {
  /** A number, a boolean, or a word that the files list. */
  readonly value?: number | boolean | string
  /** The length of a text. */
  readonly characters?: number
  /** Bytes of its JSON. */
  readonly bytes: number
  /** It asks for the default: where the model does not declare the field, it is not sent. */
  readonly isDefault?: true
}

export interface ChatAsk extends FieldsAsk {
  readonly kind: 'chat'
  readonly stream: boolean
  readonly messages: number
  readonly images: number
  /** Tools that the model may call. */
  readonly tools: number
  /** Names of those that run here, in the order in which they were listed. */
  readonly hosted?: readonly string[]
  /** The client's own output cap and the field it used. */
  readonly cap?: { readonly field: CapField; readonly tokens: number }
  /** Completions asked for, 1 to 4. */
  readonly choices: number
  /** The fields that backends may do without, such as `seed`, as the client calls them. Absent where there are none. */
  readonly optional?: readonly string[]
  /** Set where a message has the role `developer`. */
  readonly developer?: true
  /** `chat_template_kwargs.enable_thinking`, when given. */
  readonly thinking?: boolean
  /** The dialect of the client, where it is not chat. */
  readonly dialect?: ClientDialectName
  /** The tools that a translation leaves out, such as `web_search`. Absent where it loses none. */
  readonly losses?: readonly string[]
  /** Its fields that a translation loses, such as `seed`, by the dialect into which it is translated. */
  readonly lostFields?: LostFields
  /**
   * Tools that the backend would run itself and charge beside tokens, such as `web_search`, each once, where the request
   * goes in the client's dialect. Absent where there are none, or they run here.
   */
  readonly providerTools?: readonly string[]
  /** Those of them that the request can do without: a pool that does not allow them gets the request without them. */
  readonly cuttable?: readonly string[]
  /** Its size where it goes in the client's dialect, if that is more than the chat. */
  readonly native?: NativeSize
  /** How long it has its backend keep the prompt in a cache: the longest that its marks say. Absent where it has none. */
  readonly cacheTime?: CacheTime
  /**
   * Members that its dialect does not have, such as `input.content.uuid`, each once by its name from the top, where the
   * request goes in the client's dialect. Absent where there are none.
   */
  readonly unknown?: readonly string[]
  /** Where the first address in it stands that a backend of the client's dialect would fetch something from. */
  readonly address?: string
  /** The field that no translation can say, so that only pools of the client's dialect can answer. */
  readonly onlyNative?: OnlyNative
}

/** Fields that a translation into a dialect leaves out. Absent where it loses none. */
export type LostFields = { readonly [Into in DialectName]?: readonly string[] }

/** The size of a request before a tokenizer has seen it. */
export interface NativeSize {
  /** UTF-8 bytes of everything that a model may read. */
  readonly bytes: number
  readonly images: number
  /** It holds a file, of whose tokens there is no bound but the context. */
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
  /** Set where they are token ids, and no texts. */
  readonly tokenIds?: true
  /** Set where its vectors are asked for in base64. */
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
  /** As that of a chat, where its body is JSON. */
  readonly cacheTime?: CacheTime
}

/** How long a request has its backend keep the prompt; of a field that its model declares only the size is known. */
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
  /** The pools whose usable replicas are all behind with their work. Absent where there are none. */
  readonly busy?: readonly BusyPool[]
  /** Names of the pools at which the conversation stays. Absent where there are none. */
  readonly stays?: readonly string[]
}
