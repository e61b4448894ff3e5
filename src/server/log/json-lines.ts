import pino from 'pino'
import type { LogLevel } from '../../config/settings.ts'
import type { LogEntry } from '../../http/log-entry.ts'
import type { Config } from '../../policy/config.ts'
import { usdText } from '../../wire/money.ts'
import { inEscapes } from '../../wire/printable.ts'

/** A text that a client made up is as long as it likes. */
const MOST_TEXT = 256

/** Writes objects as lines of JSON, each with its time, its level and the gateway that it is of. */
export function jsonLines(gateway: string, write: (line: string) => void) {
  const logger = pino(
    {
      base: { gateway },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    { write: (line: string) => write(inEscapes(line.trimEnd())) },
  )
  return (as: LogLevel, message: string, fields: object = {}): void => {
    logger[as](fields, message)
  }
}

/** The fields of a request's line: names, numbers and causes. Prompts, answers and accounts are in none. */
export function requestFields(
  entry: LogEntry,
  { defaultModel }: Pick<Config, 'defaultModel'>,
  clean: (text: string) => string,
): object {
  const { requestId, method, path, status, ms, plan, asked, model, pool, rule, code, type, tools, failures } = entry
  const { inputTokens, outputTokens, cost, estimated, firstMs, interrupted, traceId } = entry
  const short = (text: string) => clean(text.slice(0, MOST_TEXT))
  return {
    request_id: requestId,
    trace_id: traceId,
    method: short(method),
    path: short(path),
    status,
    ms,
    first_token_ms: firstMs,
    plan,
    asked: asked === undefined ? undefined : short(asked || defaultModel.name),
    model,
    route: rule,
    pool,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    estimated: estimated || undefined,
    cost_usd: cost === undefined ? undefined : usdText(cost),
    tools,
    code,
    type: type === undefined ? undefined : short(type),
    failures: failures?.length ? failures.map(({ pool, cause }) => ({ pool, cause: short(cause) })) : undefined,
    interrupted: interrupted === undefined ? undefined : short(interrupted),
  }
}
