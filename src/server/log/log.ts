import pino from 'pino'
import { passwordOf } from '../../config/model/store-address.ts'
import { type LogLevel, type LogSettings, Secret, type Settings } from '../../config/settings.ts'
import { withoutKeys } from '../../gateway/accounts/keys.ts'
import type { LogEntry } from '../../http/log-entry.ts'
import { parseUrl } from '../../kit/parse-url.ts'
import type { Config } from '../../policy/config.ts'
import { ruleName } from '../../policy/limits/rule.ts'
import { usdText } from '../../wire/money.ts'
import { inEscapes } from '../../wire/printable.ts'
import { alarmLine, logLine } from './line.ts'
import type { LineOut } from './line-out.ts'
import { timeOfDay } from './terminal-text.ts'

export interface ProcessLogPorts {
  /** Lines about requests, and lines for operators. */
  readonly out: LineOut
  /** Alarms. */
  readonly err: LineOut
  /** The current settings; they change on reload. */
  readonly settings: () => LogSettings
  readonly secrets: KnownSecrets
  /** The name of this process in each line of JSON. */
  readonly gateway: string
  /** Which worker of the gateway it is, where that has several. */
  readonly worker?: number
  readonly now: () => number
}

type Details = Readonly<Record<string, unknown>>

const RANK: Readonly<Record<LogLevel, number>> = { info: 0, warn: 1, error: 2 }

/** The log of the process: lines for people or JSON, as the `log` section sets. It never blocks a request and never throws. */
export class ProcessLog {
  readonly #ports: ProcessLogPorts
  readonly #requests: ReturnType<typeof jsonLines>
  readonly #alarms: ReturnType<typeof jsonLines>

  constructor(ports: ProcessLogPorts) {
    this.#ports = ports
    const { gateway, worker, out, err } = ports
    const base = { gateway, ...(worker !== undefined && { worker }) }
    this.#requests = jsonLines(base, line => out.write(line))
    this.#alarms = jsonLines(base, line => err.write(line))
  }

  /** Lines that could not be written. */
  get dropped(): number {
    const { out, err } = this.#ports
    return out.dropped + err.dropped
  }

  /** A request ended. */
  request(entry: LogEntry, config: Config): void {
    const level = levelOf(entry)
    if (!this.#prints(level)) return
    const { out, secrets } = this.#ports
    const clean = (text: string) => secrets.without(text)
    if (this.#isJson) this.#requests(level, 'request', requestFields(entry, config, clean))
    else out.write(clean(logLine(entry, config)))
  }

  alarm(message: string, details: Details = {}): void {
    const level = 'stack' in details || 'error' in details ? 'error' : 'warn'
    if (!this.#prints(level)) return
    const { err, secrets, now } = this.#ports
    const clean = Object.fromEntries(
      Object.entries(details).map(([name, value]) => [
        name,
        typeof value === 'number' || typeof value === 'boolean' ? value : secrets.without(String(value)),
      ]),
    )
    if (this.#isJson) this.#alarms(level, message, clean)
    else err.write(`${timeOfDay(now())}  ${alarmLine(message, clean)}`)
  }

  /** Prints an operator's message about a reload. */
  say(text: string): void {
    if (!this.#prints('info')) return
    if (this.#isJson) this.#alarms('info', this.#ports.secrets.without(text.trimEnd()))
    else this.#ports.err.write(this.#ports.secrets.without(text))
  }

  /** A message for the operator who started the process; as JSON, a message with fields. `text` may hold the key of a demo. */
  show(text: string, message: string, fields: object = {}): void {
    if (!this.#isJson) this.#ports.out.write(text)
    else if (this.#prints('info')) this.#requests('info', message, fields)
  }

  /** Resolves once what waits is written, if it ever is. */
  async flush(): Promise<void> {
    await Promise.all([this.#ports.out.flush(), this.#ports.err.flush()])
  }

  get #isJson(): boolean {
    return this.#ports.settings().format === 'json'
  }

  #prints(level: LogLevel): boolean {
    return RANK[level] >= RANK[this.#ports.settings().level]
  }
}

/** A client that left, or was refused, is not a fault of the gateway; nor is a limit that ended a WebSocket. */
function levelOf({ status, interrupted }: LogEntry): LogLevel {
  if (status >= 500) return 'warn'
  if (interrupted === undefined) return 'info'
  const isFault = status === 101 ? interrupted.includes('backend') : interrupted !== 'client gone'
  return isFault ? 'warn' : 'info'
}

/** A text that a client made up is as long as it likes. */
const MOST_TEXT = 256

/** Writes objects as lines of JSON, each with its time, its level and the process that it is of. */
function jsonLines(base: object, write: (line: string) => void) {
  const logger = pino(
    {
      base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    { write: (line: string) => write(inEscapes(line.trimEnd())) },
  )
  return (as: LogLevel, message: string, fields: object = {}): void => {
    logger[as](fields, message)
  }
}

/** The fields of a request's line: names, ids, numbers and causes. Prompts, answers and keys are in none. */
function requestFields(
  entry: LogEntry,
  { defaultModel }: Pick<Config, 'defaultModel'>,
  clean: (text: string) => string,
): object {
  const { requestId, method, path, status, ms, plan, asked, model, pool, rule, code, type, tools, failures } = entry
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, cost, estimated } = entry
  const { firstMs, interrupted, skippedEvents, traceId, limit, account, key } = entry
  const short = (text: string) => clean(text.slice(0, MOST_TEXT))
  return {
    request_id: requestId,
    trace_id: traceId,
    method: short(method),
    path: short(path),
    status,
    ms,
    first_token_ms: firstMs,
    account,
    key,
    plan,
    asked: asked === undefined ? undefined : short(asked || defaultModel.name),
    model,
    route: rule,
    pool,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cached_tokens: cachedTokens,
    cache_write_tokens: cacheWriteTokens,
    estimated: estimated || undefined,
    cost_usd: cost === undefined ? undefined : usdText(cost),
    tools,
    code,
    type: type === undefined ? undefined : short(type),
    limit: limit && ruleName(limit),
    failures: failures?.length ? failures.map(({ pool, cause }) => ({ pool, cause: short(cause) })) : undefined,
    interrupted: interrupted === undefined ? undefined : short(interrupted),
    skipped_events: skippedEvents,
  }
}

export interface Knowing {
  readonly settings: Settings
  readonly guestSecrets?: readonly Secret[]
}

/** Every secret that this process knew since its start, so that no line holds one, also of requests that began before a reload. */
export class KnownSecrets {
  readonly #values = new Set<string>()
  #seen: object | undefined

  constructor(...values: readonly string[]) {
    for (const value of values) this.#add(value)
  }

  /** Also those of a configuration, wherever in it they stand, and what the keys of guests are derived from. */
  know({ settings, guestSecrets = [] }: Knowing): void {
    // A snapshot has settings of its own, and is complete.
    if (settings === this.#seen) return
    if (guestSecrets.length > 0 || !settings.guests) this.#seen = settings
    for (const secret of [...secretsIn(settings), ...secretsIn(guestSecrets)]) {
      this.#add(secret)
      for (const part of partsOf(secret)) this.#add(part)
    }
  }

  /** The text without any of them, and without what looks like a key or a token. */
  without(text: string): string {
    let without = text
    for (const value of this.#values) if (without.includes(value)) without = without.replaceAll(value, REDACTED)
    return withoutKeys(without.replace(CREDENTIALS, REDACTED))
  }

  #add(value: string): void {
    if (value.length >= LEAST_CHARACTERS) this.#values.add(value)
  }
}

/** Shorter secrets are common words: to redact them would redact ordinary text. */
const LEAST_CHARACTERS = 6

const REDACTED = '[redacted]'
/** Texts that look like a vendor's key, a bearer value or a JSON web token. Models may be called svc-…: of our own keys `withoutKeys` knows the form. */
const CREDENTIALS = /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|\bBearer\s+\S+|\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+/g

function secretsIn(value: unknown): readonly string[] {
  if (value instanceof Secret) return [value.reveal()]
  if (value instanceof Map) return [...value.values()].flatMap(secretsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : []
}

/** The password of a URL, as it is written there and as it is sent; and what follows `Basic` or `Bearer`. */
function partsOf(secret: string): readonly string[] {
  // That of a store with several sentinels is no URL of the web.
  const password = parseUrl(secret)?.password ?? passwordOf(secret)
  const [, credentials = ''] = /^\w+ +(\S+)$/.exec(secret) ?? []
  return [password, decoded(password), credentials]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A literal percent sign.
    return text
  }
}
