import type { EpochMs, Millis, Place } from './config.ts'
import type { NamedType } from './limits/named-rules.ts'
import type { LimitRule, LimitWindow, RuleType } from './limits/rule.ts'
import type { NanoUsd } from './nano-usd.ts'

/** Why a request is not served: a value, rendered in wire/errors/denial.ts alone. docs/api/errors.md lists the codes. */
export type Denial =
  /** `todo` where a key would not do. */
  | { readonly code: 'NO_AUTH'; readonly todo?: string }
  | { readonly code: 'INVALID_KEY' }
  /** `isFinal` where the same token never works again, and its client has another way to get one. */
  | { readonly code: 'INVALID_TOKEN'; readonly problem: string; readonly isFinal?: true }
  /** The token is good, but its provider does not say which groups the person is in. */
  | { readonly code: 'GROUPS_UNREADABLE'; readonly problem: string }
  /** The key was made for other addresses than this one. */
  | { readonly code: 'ADDRESS_NOT_ALLOWED'; readonly address: string }
  /** An operator opened an account under the label of this sign-in, which has none. */
  | { readonly code: 'INVITATION_NEEDED'; readonly label: string }
  | FrozenDenial
  | ValidationDenial
  | RateDenial
  | RuleDenial
  | GuestDenial
  | KeysDenial
  | SignInsDenial
  | ReadsDenial
  | PlanDenial
  | QuotaDenial
  | ExhaustedDenial
  | ToolDenial
  /** `field` where it is something that the body names. */
  | ({ readonly code: 'NOT_FOUND'; readonly problem: string; readonly field?: string } & BackendWord)
  /** A backend refuses the request for its content. */
  | ({ readonly code: 'FORBIDDEN'; readonly problem: string } & BackendWord)
  | { readonly code: 'METHOD_NOT_ALLOWED'; readonly allow: readonly string[] }
  | { readonly code: 'PAYLOAD_TOO_LARGE'; readonly limitBytes: number }
  /** `accepts` where it is more than JSON. */
  | { readonly code: 'UNSUPPORTED_MEDIA_TYPE'; readonly accepts?: string }
  | { readonly code: 'STORE_UNAVAILABLE' }
  | { readonly code: 'IDENTITY_UNAVAILABLE' }
  | OverloadDenial
  | { readonly code: 'DRAINING' }
  | ReloadDenial
  | { readonly code: 'MISDIRECTED'; readonly host: string }
  | RevisionDenial
  | ApplyDenial
  | BrokenRevisionDenial
  | { readonly code: 'INTERNAL' }

/** A request that cannot be served as it is, for what is in this field. */
export interface ValidationDenial extends BackendWord {
  readonly code: 'VALIDATION_ERROR'
  readonly field: string
  readonly problem: string
  /** The sizes of a prompt that is too long for the model. */
  readonly overflow?: Overflow
}

/** Tokens of a prompt and of the cap of its answer, and what the model takes of both: an estimate where they were not counted. */
export interface Overflow {
  readonly input: number
  readonly output: number
  readonly limit: number
}

/** Replaces a denied result: `'denial' in result` distinguishes the two. */
export interface Denied<D = Denial> {
  readonly denial: D
}

/** The client sent what cannot be, in this field; `reason` is OpenAI's code for it, where there is one. */
export const invalid = (field: string, problem: string, reason?: InvalidReason): Denied<ValidationDenial> => ({
  denial: { code: 'VALIDATION_ERROR', field, problem, ...(reason !== undefined && { reason }) },
})

/** The codes of OpenAI, and one of Anthropic, for requests that are refused before a backend has seen them. */
export type InvalidReason =
  | 'model_not_found'
  | 'context_length_exceeded'
  | 'previous_response_not_found'
  | 'unsupported_value'
  | 'unsupported_parameter'
  | 'missing_required_parameter'
  | 'invalid_type'
  | 'invalid_value'
  | 'thread_unsupported_request'

/** A backend's name for its refusal, as far as it has one. */
interface BackendWord {
  /** Its code, or else its type: `context_length_exceeded`, `content_filter`. The gateway's own refusals have OpenAI's code. */
  readonly reason?: string
  readonly backendType?: string
  /** The field that it names. */
  readonly param?: string
}

/** A named rule refuses: a retry after the wait is served if no other request takes the room. Its type says which rule it is. */
export interface RateDenial {
  readonly code: 'rate_limit_exceeded'
  readonly type: NamedType
  readonly limit: number
  readonly retryAfterMs: Millis
  /** The window of a month that is not one of UTC. */
  readonly per?: LimitWindow
}

/** Any other rule refuses; a retry works as after a `RateDenial`. */
export interface RuleDenial {
  readonly code: 'rate_limit_exceeded'
  /** `daily_limit` where a zone has a counter of its own for the requests of a day. */
  readonly type: RuleType | 'daily_limit'
  readonly limit: number
  readonly retryAfterMs: Millis
  readonly rule: LimitRule
  /** Running requests hold the rest: when they end is unknown. */
  readonly isHeld?: true
}

/** A limit that guests share: what all of them may spend in a day, or the new devices of one network in an hour. */
export interface GuestDenial {
  readonly code: 'rate_limit_exceeded'
  readonly type: 'daily_limit' | 'guest_keys'
  readonly shared: true
  readonly retryAfterMs: Millis
}

/** An account changed its keys too often in this hour. The limit is the same for all plans. */
export interface KeysDenial {
  readonly code: 'rate_limit_exceeded'
  readonly type: 'requests'
  readonly of: 'keys'
  readonly limit: number
  readonly retryAfterMs: Millis
}

/**
 * Too many operators' tokens that are none came from one address within a minute, a person tried too many codes of devices, or
 * an account changed its notices, or asked for mails that confirm an address, too often.
 */
export interface SignInsDenial {
  readonly code: 'rate_limit_exceeded'
  readonly type: 'requests'
  readonly of: 'sign-ins' | 'codes' | 'notices' | 'mails'
  readonly limit: number
  readonly retryAfterMs: Millis
}

/** A client reads more often than one may, whatever its plan: reads ask no model. */
export interface ReadsDenial {
  readonly code: 'rate_limit_exceeded'
  readonly type: 'requests'
  readonly of: 'reads'
  /** The group whose reads count together. */
  readonly reader: 'key' | 'guests' | 'address' | 'files' | 'preflights'
  /** In a second. */
  readonly limit: number
  readonly retryAfterMs: Millis
}

/** The plan does not include the model, or one of the hosted tools. Retrying does not help. */
export interface PlanDenial {
  readonly code: 'rate_limit_exceeded'
  readonly type: 'plan_limit'
  readonly model: string
  readonly plan: string
  /** The tool that the plan lacks, where it is not the model. */
  readonly tool?: string
  /** The plan includes the model, and the key of the request does not. */
  readonly of?: 'key'
}

/** An operator froze the account. Its keys, limits and usage stay as they are. */
export interface FrozenDenial {
  readonly code: 'ACCOUNT_FROZEN'
  /** The org that it belongs to, where all accounts of that are frozen. */
  readonly org?: string
  /** The identity provider deactivated the person. */
  readonly by?: 'provider'
}

/** The definition of a hosted tool, which the model needs, cannot be read now. */
export interface ToolDenial {
  readonly code: 'TOOL_UNAVAILABLE'
  readonly tool: string
}

/** The request cannot fit in the window, even with every hold refunded. */
export interface QuotaDenial {
  readonly code: 'quota_exceeded'
  readonly resetAt: EpochMs
  /** The window of a month that is not one of UTC. */
  readonly per?: LimitWindow
  readonly overageEnabled: boolean
  /** The most that the request may cost. */
  readonly worst: NanoUsd
  readonly left: NanoUsd
  /** The largest `max_tokens` that would fit; 0 when none does. */
  readonly fits: number
}

/**
 * Too much at once: for the whole process, or from one address; or bodies or answers in memory, of an account, of an
 * address or of all clients; or reads of an account by label; or the process has no file descriptor or port left. Nothing of the request was counted, but
 * where a backend had begun an answer for which there is no memory.
 */
export interface OverloadDenial {
  readonly code: 'OVERLOADED'
  readonly of:
    | 'gateway'
    | 'process'
    | 'address'
    | 'account_bodies'
    | 'address_bodies'
    | 'bodies'
    | 'account_answers'
    | 'address_answers'
    | 'answers'
    | 'account_splits'
    | 'process_splits'
}

export interface ExhaustedDenial extends BackendWord {
  readonly code: 'UPSTREAMS_EXHAUSTED'
  /** All of them answered 429: they serve others, but no more requests now. */
  readonly isBusy?: true
  /** `site` of the last pool that was tried. */
  readonly tier: string
  /** Pool names in the order they were tried. */
  readonly attempted: readonly string[]
  /** When a replica may be tried again, where any is declared. */
  readonly retryAfterMs?: Millis
  /** The last backend's words on this request. */
  readonly problem?: string
  /** How the answers of all of them differ from what is declared: no time mends it. */
  readonly misfit?: string
}

/** The files cannot take the place of what serves. Only operators meet it. */
export interface ReloadDenial {
  readonly code: 'RELOAD_REFUSED'
  readonly problems: readonly FileProblem[]
  /** The problems in code frames, as `svcctl validate` prints them. */
  readonly text: string
}

/** A change was made for another revision than the one that serves. Only operators meet it. */
export interface RevisionDenial {
  readonly code: 'REVISION_CHANGED'
  /** The one that serves. */
  readonly revision: string
}

/** A candidate cannot take the place of what serves. Only operators meet it. */
export interface ApplyDenial {
  readonly code: 'APPLY_REFUSED'
  /** Why, in a sentence. */
  readonly reason: string
  readonly problems: readonly FileProblem[]
  /** The problems in code frames, as `svcctl validate` prints them. */
  readonly text: string
  /** Plans that would go away while accounts are on them. */
  readonly plansInUse?: readonly PlanInUse[]
}

/** A revision that served does not load any more, so that it cannot be compared. Only operators meet it. */
export interface BrokenRevisionDenial {
  readonly code: 'REVISION_INVALID'
  readonly number: number
  readonly problems: readonly FileProblem[]
  /** The problems in code frames, as `svcctl validate` prints them. */
  readonly text: string
}

export interface PlanInUse {
  readonly plan: string
  readonly accounts: number
}

/** A problem in an operator's file, at its place. */
export interface FileProblem extends Place {
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint?: string
}
