/** A request of the decision log, decided again: what `svcctl explain --request --json` prints. */
export interface ShownPast {
  readonly verdict: 'allow' | 'deny'
  readonly at: string
  readonly path: string
  /** Null where the client named no model. */
  readonly asked: string | null
  /** Of the files that decided it again. */
  readonly revision: string
  /** Whether the same files decided it then. */
  readonly same_files: boolean
  /** Whether it comes to the same, to the byte. */
  readonly agrees: boolean
  /** What it comes to again; null where that is not known. */
  readonly outcome: ShownOutcome | null
  /** What its client got where it was refused. */
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: object | null
  } | null
  readonly stages: readonly ShownStep[]
  /** What would have had it admitted, each tried out. */
  readonly allowed_if: readonly ShownRemedy[]
  /** What the log has of it. */
  readonly record: object
}

interface ShownOutcome {
  readonly verdict: 'allow' | 'deny'
  readonly plan: string
  readonly model?: string
  readonly route?: string
  readonly pools?: readonly string[]
}

/** A stage that a request went through. `file` and `line` are null where no line of a file decided. */
export interface ShownStep {
  readonly stage: string
  readonly outcome: 'pass' | 'deny'
  readonly text: string
  readonly file: string | null
  readonly line: number | null
}

/** A change that would have had a request admitted. */
export type ShownRemedy =
  | { readonly change: 'time'; readonly at: string }
  | { readonly change: 'max_tokens'; readonly from: number; readonly to?: number }
  | { readonly change: 'thinking'; readonly to: false }
  | { readonly change: 'plan' | 'model' | 'pool'; readonly names: readonly string[] }
  /** Running requests; nano-USD that they hold. */
  | { readonly change: 'under_way' | 'held'; readonly to: number }
