/** A request and its outcome, as its account sees them. */
export interface OwnRequest {
  readonly id: string
  readonly at: string
  /** Null for entries from the ledger. */
  readonly path: string | null
  /** 499 where the client left. Null in what the ledger says, which has those that were served. */
  readonly status: number | null
  /** The outcome that `status` of the query matches: an answer that broke off is a failure, whatever its status was. */
  readonly outcome: Outcome
  readonly ms: number
  /** The id of the key that it came with. Null for a sign-in, and in old rows of the ledger. */
  readonly key: string | null
  /** Null where the request named none. */
  readonly asked: string | null
  readonly model: string | null
  readonly route: string | null
  readonly upstream: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly usd: string | null
  readonly estimated: boolean | null
  /** Calls of hosted tools by name. */
  readonly tools: Readonly<Record<string, number>> | null
  /** The values of its labels; of a refused request, as they were sent. Absent where it has none. */
  readonly labels?: Readonly<Record<string, string>>
  /** The id of its conversation, or a digest of it. Absent where nothing names one. */
  readonly session?: string
  readonly code: string | null
  readonly type: string | null
  /** The limit that refused it: `tokens per day of key`. */
  readonly limit: string | null
  /** The refusal's message to the client, or its beginning. */
  readonly message: string | null
  /** The gateway that was asked remembers it, or the ledger of all. */
  readonly from: 'memory' | 'ledger'
}

export const OUTCOMES = ['ok', 'refused', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]
