import type { Config, Millis } from '../policy/config.ts'
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
  }
  readonly store: StoreSettings
  readonly ledger: {
    /** How long rows are kept after the admission of their request. */
    readonly keep: Millis
  }
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
