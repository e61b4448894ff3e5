import type { Millis } from '../../policy/config.ts'

/** Facts of a request for its line of the log; no prompt, no key. */
export class CallNote {
  code: string | undefined
  type: string | undefined
  plan: string | undefined
  asked: string | undefined
  model: string | undefined
  /** The route that chose the model. */
  rule: string | undefined
  /** Calls of hosted tools by name. */
  tools: Readonly<Record<string, number>> | undefined
  pool: string | undefined
  failures: readonly { readonly pool: string; readonly cause: string }[] | undefined
  inputTokens: number | undefined
  outputTokens: number | undefined
  cost: number | undefined
  estimated: boolean | undefined
  /** Of a stream: until the first of its content was passed on. */
  firstMs: Millis | undefined
  /** Until it was first sent to a backend, without waiting for its body: what the gateway itself took. */
  overheadMs: Millis | undefined
  /** Set when the answer did not end well. */
  interrupted: string | undefined
}
