import type { DialectName } from './backend-dialects.ts'
import type { Balance, Caches } from './balance/prompt-sketch.ts'
import type { Calendar } from './calendar.ts'
import type { FieldKind } from './fields.ts'
import type { CountRule } from './limits/named-rules.ts'
import type { NoticeRule } from './limits/notice-rule.ts'
import type { LimitRule } from './limits/rule.ts'
import type { NanoUsd } from './nano-usd.ts'
import type { CapField, Fetch, PoolProvider, UnknownFields } from './providers/profile.ts'
import type { Millis } from './time.ts'

export type { CapField, Fetch, UnknownFields } from './providers/profile.ts'
export type { EpochMs, Millis } from './time.ts'

/** Where an operator wrote something; line and column count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A declared thing knows its name and where it was written, field by field. */
export interface Declared {
  readonly name: string
  readonly at: Place
  /** The place of each field that was written, by its YAML name. */
  readonly fields: Readonly<Record<string, Place>>
}

/** The operator's declarations, with names linked to objects, so that nothing in it can dangle. Immutable. */
export interface Config {
  /** Changes with every byte of the files. */
  readonly revision: string
  readonly plans: ReadonlyMap<string, Plan>
  readonly models: ReadonlyMap<string, Model>
  readonly pools: ReadonlyMap<string, Pool>
  /** Generic names. Only these, and an omitted model, may be upgraded by routing. */
  readonly aliases: ReadonlyMap<string, Alias>
  /** Used when a request names no model. */
  readonly defaultModel: Alias | Model
  /** Smart routing: the first that applies upgrades a generic name. */
  readonly routes: readonly Route[]
  /** The matchers of routes over texts and headers, each once. */
  readonly matchers: readonly Matcher[]
  /** Tools that run on the server when a request lists them. */
  readonly tools: ReadonlyMap<string, HostedTool>
  /** The fields that any model of a kind declares in `accepts`, each with the words that a bound of it lists. */
  readonly declared: Readonly<Record<FieldKind, DeclaredFields>>
  /** Pass-through routes by path. */
  readonly passthrough: ReadonlyMap<string, Passthrough>
  /** Labels that requests are counted under, by name. */
  readonly labels: ReadonlyMap<string, Label>
  /** The limits that are announced, and to whom. */
  readonly notices: readonly NoticeRule[]
  /** The plan of accounts that signed in, where neither an operator nor the token says another. */
  readonly defaultPlan?: Plan
  /** The plans of services whose entry has limits of its own, by the claim that names the service. */
  readonly servicePlans?: ReadonlyMap<string, Plan>
  /** The plan of devices; no token can claim it. */
  readonly guestPlan?: Plan
  /** Set where a pool has a share of the conversations of a model, or copies of a sample of them. */
  readonly hasShares?: true
  /** The days, weeks, months and quarters of limits, quotas and invoices follow it. Absent: UTC, and months from the 1st. */
  readonly calendar?: Calendar
}

/** A label that requests are counted under, such as `project`. */
export interface Label extends Declared {
  /** Whether operators give keys a value at mint. */
  readonly ofKey: boolean
  /** The header that gives a request its value where its key has none, in lower case. */
  readonly header?: string
  /** The values that it may have. Absent: any well-formed one. */
  readonly values?: readonly string[]
  /** The plans whose requests must have a value. */
  readonly requiredBy: ReadonlySet<string>
}

export interface Plan extends Declared {
  /** The models of the plan by name, each with the entry that includes it. */
  readonly models: ReadonlyMap<string, Inclusion>
  /** The hosted tools of the plan by name. */
  readonly tools: ReadonlyMap<string, Inclusion>
  /** Limits of requests and tokens. */
  readonly limits: readonly CountRule[]
  /** Limits of other measures, windows and scopes. */
  readonly rules: readonly PlanRule[]
  /** Rules of other plans that requests of this one count in, and do not have to keep: of everybody and of organizations. */
  readonly counts: readonly LimitRule[]
  readonly monthlyNanoUsd: NanoUsd
  /** Whether the plan serves past monthlyNanoUsd: never, always, or up to a cap beyond it. */
  readonly overage: Overage
  /** In queues of pools, the higher goes first. Absent where the files say nothing. */
  readonly priority?: number
  /** In queues of pools, an account gets tokens by it. Absent where the files say nothing. */
  readonly weight?: number
  /** Overrides the model's. */
  readonly commit?: Commit
}

/** A rule, and where it is written; an operator's for one account is not in the files. */
export interface PlanRule {
  readonly rule: LimitRule
  readonly at?: Place
}

/** When a streamed answer begins to reach the client: with its first content, or once all of it is there. */
export type Commit = 'first_content' | 'complete'

/** Never, always, or up to a cap beyond the allotment. */
export type Overage = boolean | { readonly capNanoUsd: NanoUsd }

/** Why a plan includes a model or a tool: `tier:guest`, its own name, or `all`. */
export interface Inclusion {
  readonly by: string
  readonly at: Place
}

export type Kind = 'chat' | 'embedding' | 'image' | 'passthrough'

/** A brand name that clients use. It stays when the backends behind it change. */
export type Model = ChatModel | EmbeddingModel | ImageModel | PassthroughModel

interface ServedModel extends Declared {
  readonly tier: string
  /** In failover order; at least one. Pools with a share come first, and at least one has none. */
  readonly serve: readonly Pool[]
  /** The pools among them that get a share of the conversations and nothing else. Absent where there are none. */
  readonly traffic?: readonly TrafficShare[]
}

/** A pool that gets a share of a model's conversations, and no failover traffic. */
export interface TrafficShare {
  readonly pool: Pool
  /** Its part of all conversations of the model. */
  readonly millionths: number
  /** When it is stopped. Absent where nothing compares it. */
  readonly canary?: CanaryRules
  readonly at: Place
}

/** When a pool with a share is stopped: it breaks one of the rules. */
export interface CanaryRules {
  /** Millionths by which its share of failed requests may exceed that of the other pool. */
  readonly errorsOver?: number
  /** Millionths of the other pool's p95 of the first token that its own may reach. */
  readonly firstTokenP95Over?: number
  /** The name of the other pool. */
  readonly against: string
  /** Requests that each side must have had, and the newest that are compared. */
  readonly after: number
}

/** Where copies of a sample of a model's chats go. Nobody waits for them, and no account pays for them. */
export interface Mirror {
  readonly to: Pool
  /** The part of all conversations of the model that is copied. */
  readonly millionths: number
  /** The most that copies may cost in any 24 hours, at the prices of the pool. Absent where the pool has none. */
  readonly maxNanoUsdPerDay?: NanoUsd
  /** Whether requests that a pool of another site serves are copied as well. */
  readonly acrossSites: boolean
  readonly at: Place
}

/** The fields beyond the known ones that requests for a model may carry to its backends. */
export type Accepts = ReadonlyMap<string, Bound>

/** The values that such a field may have, and where that is written. */
export type Bound = { readonly at: Place } & (
  | { readonly is: 'number'; readonly min: number; readonly max: number }
  | { readonly is: 'one_of'; readonly words: readonly string[] }
  /** A text of this many characters. */
  | { readonly is: 'text'; readonly max: number }
  | { readonly is: 'boolean' }
  /** Any value of this many bytes of JSON. */
  | { readonly is: 'json'; readonly max: number }
)

export type DeclaredFields = ReadonlyMap<string, ReadonlySet<string>>

interface AcceptingModel extends ServedModel {
  /** Absent where nothing is declared. */
  readonly accepts?: Accepts
}

export interface ChatModel extends AcceptingModel {
  readonly kind: 'chat'
  /** Tokens of prompt and completion together. */
  readonly context: number
  /** Completion tokens wanted when the client sets no cap. */
  readonly maxOutput: number
  /** Whether the files say it: then a larger cap of a client is lowered to it. */
  readonly capsOutput?: true
  readonly vision: boolean
  /** Prompt tokens held for each image. */
  readonly imageTokens: number
  readonly thinking?: { readonly default: boolean; readonly minMaxTokens: number }
  readonly price: Price
  readonly commit: Commit
  readonly lossy: Lossy
  /** Where copies of its requests go. Absent where none do. */
  readonly mirror?: Mirror
}

/** The fate of a request that would lose something in translation: it goes without it, or not to such a pool. */
export type Lossy = 'allow' | 'refuse'

export interface EmbeddingModel extends AcceptingModel {
  readonly kind: 'embedding'
  /** Tokens of one input. */
  readonly context: number
  /** Numbers of one vector. */
  readonly dimensions: number
  /** Whether a request may ask for another number of them. */
  readonly anyDimensions: boolean
  /** Whether inputs may be token ids: of the model's own tokenizer. */
  readonly tokenIds: boolean
  /** Only input is paid. */
  readonly price: Price
}

export interface ImageModel extends AcceptingModel {
  readonly kind: 'image'
  /** Price of one image by size, `512x512`; the first size is taken when a request names none. */
  readonly sizes: ReadonlyMap<string, NanoUsd>
}

/** The model behind pass-through routes, which say what a request costs. */
export interface PassthroughModel extends ServedModel {
  readonly kind: 'passthrough'
  /** For routes that are paid by usage. */
  readonly price?: Price
}

/** Nano-USD for 1,000 tokens: `usd_per_1m: 0.10` is 100_000. Exact to a millionth of a dollar per million tokens. */
export interface Price extends HeldPrice {
  /** The price of input that a backend read from its prompt cache: as other input where it is absent. */
  readonly cachedInput?: NanoUsd
  /** The price of input that it wrote into the cache. */
  readonly cacheWrite?: NanoUsd
  /** The price of input that it keeps in the cache for an hour: as other cache writes where it is absent. */
  readonly cacheWrite1h?: NanoUsd
}

/** The prices at which tokens are held before it is known how many of them were in a cache. */
export interface HeldPrice {
  readonly input: NanoUsd
  readonly output: NanoUsd
  /** For each piece, such as an image. */
  readonly item?: NanoUsd
}

/** The gateways that share the slots of a pool. */
export type SlotsOver = 'gateway' | 'store'

/** A share of the slots of a pool: guaranteed to its owner, and lent while the owner does not need it. */
export interface SlotShare {
  /** `org:research` or `plan:product`. */
  readonly owner: string
  /** Its part of `max_concurrent`. */
  readonly millionths: number
  /** Slots that are guaranteed, at least 1. */
  readonly slots: number
  readonly at: Place
}

/** Places that answer with the same model. */
export interface Pool extends Declared {
  /** Where the pool runs, such as `onprem`. Clients see it as `tier` of a 503 UPSTREAMS_EXHAUSTED. */
  readonly site: string
  /** Base URLs without a trailing slash. */
  readonly replicas: readonly string[]
  /** The name the backend knows. */
  readonly model: string
  /** The dialects of its replicas; `chat` alone, where it serves anything but chats. */
  readonly speaks: readonly DialectName[]
  /** Tools that its replicas run themselves, such as `web_search`, that requests in their own dialect may list. */
  readonly providerTools: readonly string[]
  /** The fate of members of a native request that its dialect does not have. */
  readonly unknownFields: UnknownFields
  /** Those of them that reach its replicas, by name from the top: `top_k`, `input.content.uuid`. */
  readonly passes: readonly string[]
  /** Whether its replicas are sent addresses that they fetch something from. */
  readonly fetches: boolean
  /** The fields of chat completions that carry the cap of an answer to its replicas; at least one. */
  readonly caps: readonly CapField[]
  readonly fetch: Fetch
  /** How chats are spread over its replicas; all other requests go to the less busy of two. */
  readonly balance: Balance
  /** Who may find whose prompt in the caches of its replicas. */
  readonly caches: Caches
  /** Whether its `max_concurrent` is of each gateway, or of all that share the store. */
  readonly slotsOver: SlotsOver
  /** The shares of its slots; absent if it declares none. */
  readonly shares?: readonly SlotShare[]
  /** Who runs its replicas, and what that changes of requests and answers. */
  readonly provider: PoolProvider
}

export interface Alias extends Declared {
  readonly model: Model
}

/** A tool that runs on the server when a request lists it. */
export interface HostedTool extends Declared {
  /** Calls in one answer, at most. */
  readonly maxCalls: number
  /** The price of one call, whatever came of it. */
  readonly price: NanoUsd
}

/** A path whose requests are passed on as they are; its name is the path, `/v1/audio/speech`. */
export interface Passthrough extends Declared {
  readonly methods: readonly PassthroughMethod[]
  readonly model: PassthroughModel
  readonly meter: Meter
  /** Forms that a body may have. */
  readonly accepts: readonly BodyForm[]
  /** Bytes of a body that is streamed. */
  readonly maxBody: number
  /** Set where clients speak WebSocket. */
  readonly upgrade?: Upgrade
}

/** The bounds of a session over WebSocket. */
export interface Upgrade {
  /** The longest that one may last. */
  readonly maxSession: Millis
  /** The longest without a message in either direction. */
  readonly idleTimeout: Millis
  /** Bytes of one message. */
  readonly maxMessage: number
}

export type PassthroughMethod = 'GET' | 'POST'

/** JSON is read and may be sent again; the others are streamed. */
export type BodyForm = 'json' | 'multipart' | 'binary'

/** How a request of a pass-through route is paid. */
export type Meter =
  | { readonly by: 'call'; readonly price: NanoUsd }
  /** The backend's time, from dispatch to the end of its answer or session, which ends after `max` seconds. */
  | { readonly by: 'second'; readonly price: NanoUsd; readonly max: number }
  /** 1,000,000 bytes of the request's body and the answer's, or of all messages. There are `max` of them at most. */
  | { readonly by: 'mb'; readonly price: NanoUsd; readonly max: number }
  /** Tokens, as the answer counts them, at the model's prices; as many are held. */
  | { readonly by: 'usage'; readonly input: number; readonly output: number }

/** A rule of smart routing. */
export interface Route extends Declared {
  readonly when: Condition
  readonly model: Model
}

/** When a route applies. A closed language: what it says can be tested, explained and compared. */
export type Condition =
  | { readonly is: 'all'; readonly of: readonly Condition[] }
  | { readonly is: 'any'; readonly of: readonly Condition[] }
  | { readonly is: 'not'; readonly of: Condition }
  /** Found only in the text or the headers of a request: looked up among the signals of its facts. */
  | { readonly is: 'signal'; readonly matcher: Matcher }
  /** More than `over`, less than `under`. */
  | { readonly is: 'input_tokens'; readonly over?: number; readonly under?: number }
  | { readonly is: 'has_tools' | 'has_images'; readonly value: boolean }
  | { readonly is: 'plan' | 'alias'; readonly names: readonly string[] }
  | { readonly is: 'hour'; readonly from: number; readonly to: number; readonly zone: string }
  | { readonly is: 'weekday'; readonly days: readonly Weekday[]; readonly zone: string }

/** A matcher of text, the same wherever it is written: its name is made of what it looks for. */
export type Matcher = { readonly name: string } & (
  | { readonly kind: 'mentions'; readonly phrases: readonly string[] }
  | { readonly kind: 'matches'; readonly pattern: string }
  | { readonly kind: 'header'; readonly header: string; readonly values: readonly string[] }
)

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** The place of a field, or of the whole thing where the field was left to its default. */
export const placeOf = (thing: Declared, field: string): Place => thing.fields[field] ?? thing.at
