import type { TracedEnd } from '../gateway/ports.ts'
import type { Config, EpochMs, Millis } from '../policy/config.ts'
import type { Labels } from '../policy/label-values.ts'
import type { LimitRule } from '../policy/limits/rule.ts'
import { aliasNamed } from '../policy/model.ts'
import type { NanoUsd } from '../policy/nano-usd.ts'

/** One finished request, for the log. Fields that do not apply are undefined. */
export interface LogEntry extends Readonly<Partial<CallNote>> {
  readonly at: EpochMs
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** 499 when the client left before its answer. */
  readonly status: number
  readonly ms: Millis
  /** Where it is traced. */
  readonly traceId?: string | undefined
  /** The account of a caller that was recognised. */
  readonly account?: string | undefined
  /** The id of the key that it came with, and no part of the key. */
  readonly key?: string | undefined
}

/** Hears of every request once it is over, with the configuration that it began with. */
export type Log = (entry: LogEntry, config: Config) => void

/** Facts of a request for its line of the log; no prompt, no key. */
export class CallNote {
  code: string | undefined
  type: string | undefined
  /** The limit that refused it. */
  limit: LimitRule | undefined
  /** The refusal's message to the client. It is in no line of the log. */
  message: string | undefined
  plan: string | undefined
  /** The values of its labels. */
  labels: Labels | undefined
  /** The id of its conversation, or a digest of it. */
  session: string | undefined
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
  /** The cached part of the input. */
  cachedTokens: number | undefined
  cacheWriteTokens: number | undefined
  cost: NanoUsd | undefined
  estimated: boolean | undefined
  /** Time until the first content of a stream was passed on. */
  firstMs: Millis | undefined
  /** Until it was first sent to a backend, without waiting for its body: what the gateway itself took. */
  overheadMs: Millis | undefined
  /** The used share of the fullest limit that it met, when it was admitted: 1 is all. */
  limitShare: number | undefined
  /** Set when the answer did not end well. */
  interrupted: string | undefined
  /** Events of its backend that could not be read, and that its answer went on without. */
  skippedEvents: number | undefined
}

/** The model of a request by a name of the files: whatever else a client asked for is no name to keep. */
export function modelOf({ model, asked }: LogEntry, config: Config): string | undefined {
  const { models, defaultModel } = config
  if (model !== undefined || asked === undefined) return model
  if (asked === '') return 'model' in defaultModel ? defaultModel.model.name : defaultModel.name
  return models.has(asked) ? asked : aliasNamed(config, asked)?.model.name
}

/** The end of a request for its trace. */
export function tracedEnd(entry: LogEntry, config: Config): TracedEnd {
  const { status, plan, rule, pool, code, inputTokens, outputTokens, firstMs, interrupted } = entry
  const model = modelOf(entry, config)
  return {
    status,
    ...(model !== undefined && { model }),
    ...(plan !== undefined && { plan }),
    ...(rule !== undefined && { rule }),
    ...(pool !== undefined && { pool }),
    ...(code !== undefined && { code }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(firstMs !== undefined && { firstMs }),
    ...(interrupted !== undefined && { interrupted: true }),
  }
}
