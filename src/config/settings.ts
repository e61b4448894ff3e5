import type { Config, Millis, NanoUsd } from '../policy/config.ts'
import type { Problem } from './problem.ts'

/** A configuration that may be served: what policy needs, what the process needs, and what is only worth a warning. */
export interface Loaded {
  readonly config: Config
  readonly settings: Settings
  /** Severity `warning` only. */
  readonly warnings: readonly Problem[]
  /** The files it was read from, as they were named. */
  readonly files: readonly string[]
}

/** What the process needs beside the policy. Immutable. */
export interface Settings {
  /** `svc`: makes the key prefix `svc_` and the header prefix `x-svc-`. */
  readonly brand: string
  readonly server: {
    readonly listen: Address
    readonly admin: Address
    /** Without a trailing slash. */
    readonly publicUrl: string
    /** Absolute. */
    readonly stateDir: string
    readonly consoleUrl: string
    /** Addresses and networks (CIDR) whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: readonly string[]
  }
  readonly store: StoreSettings
  readonly ledger: {
    /** How long rows are kept after the admission of their request. */
    readonly keep: Millis
  }
  /** Where people sign in; without it only operators mint keys. */
  readonly identity?: IdentitySettings
  /** Keys for devices without an account; without it there are none. */
  readonly guests?: GuestSettings
  readonly limits: {
    readonly bodyBytes: number
    /** Inputs of one embeddings request. */
    readonly embeddingBatch: number
  }
  /** Links that error bodies carry. */
  readonly errors: { readonly docs: string; readonly topup: string }
  /** By pool name. */
  readonly backends: ReadonlyMap<string, BackendSettings>
}

export type StoreSettings =
  /** The path is absolute. */
  | { readonly kind: 'embedded'; readonly path: string }
  /** `shown` is the URL without user and password. */
  | { readonly kind: 'redis'; readonly url: Secret; readonly shown: string }

export interface IdentitySettings {
  readonly issuer: string
  /** What tokens must be for: the public URL. */
  readonly audience: string
  /** Accepted `typ` of tokens. */
  readonly tokenTypes: readonly string[]
  /** Claim that names the plan. */
  readonly planClaim?: string
  /** Claim that people know the account by. */
  readonly labelClaim?: string
  /** Accounts (`acct_…`) that may do what operators may. */
  readonly admins: readonly string[]
  /** Public client of `svcctl login`. */
  readonly clientId: string
}

export interface GuestSettings {
  /** New devices per address and hour. */
  readonly mintPerIpHour: number
  /** The same per /64 of IPv6, or /24 of IPv4. */
  readonly mintPerNetHour: number
  /** What all guests together may spend in one UTC day. */
  readonly perDayTotal: NanoUsd
  /** Roots that keys are derived from, newest first; empty where the gateway keeps one of its own in state_dir. */
  readonly secrets: readonly Secret[]
}

export interface Address {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** How one pool's replicas are spoken to. */
export interface BackendSettings extends Timeouts {
  readonly key?: Secret
  /** Consecutive failures after which a replica is left out, and for how long. */
  readonly eject: { readonly after: number; readonly for: Millis }
}

export interface Timeouts {
  readonly connectTimeout: Millis
  /** Streams: from dispatch to the response headers. */
  readonly headersTimeout: Millis
  /** Streams: from dispatch to the first content. */
  readonly firstContentTimeout: Millis
  /** Streams: between chunks. */
  readonly idleTimeout: Millis
  /** Streams: from dispatch to the end. */
  readonly streamTimeout: Millis
  /** Whole answers: from dispatch to the end of one attempt. */
  readonly answerTimeout: Millis
}

/** A value that never shows itself by accident: not in JSON, not in a log line, not in a stack. */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return '[redacted]'
  }
  toJSON(): string {
    return '[redacted]'
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[redacted]'
  }
}
