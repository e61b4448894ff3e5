import type { NanoUsd } from '../policy/nano-usd.ts'
import type { ConfigFile } from './file.ts'
import { type Unit, unitOf } from './model/units.ts'
import { valueAt } from './model/value-at.ts'
import { SECTION_FIELDS } from './section-fields.ts'

/** A setting that one field outside of pools decides by itself. Its unit or words, its default, its bounds and its description are those of the schema. */
export interface SectionSetting {
  /** Where the files write it. */
  readonly path: FieldPath
  /** How a changed value affects clients. */
  readonly change: 'nothing' | 'high is more' | 'on is more' | 'other' | 'lost'
}

/**
 * Every such setting by the part of the settings that has it, in the order of `show`. Settings, defaults, `show` and `plan` follow
 * from a row.
 */
const rows = {
  server: {
    /** Whether both listeners serve the web console. */
    console: { path: 'server.console', change: 'nothing' },
    /** A URL, or an address of mail, where people ask for more. */
    contact: { path: 'server.contact', change: 'nothing' },
    /** How many gateways share the store. */
    instances: { path: 'server.instances', change: 'nothing' },
    /** From SIGTERM on, while requests are still taken. */
    drainDelay: { path: 'server.drain_delay', change: 'nothing' },
    /** After that, for running requests. */
    drainTimeout: { path: 'server.drain_timeout', change: 'nothing' },
  },
  redis: {
    /** The longest silence of Redis. */
    answerTimeout: { path: 'redis.answer_timeout', change: 'nothing' },
  },
  ledger: {
    /** How long rows are kept after the admission of their request. */
    keep: { path: 'ledger.keep', change: 'nothing' },
  },
  decisions: {
    /** Whether there is a log of decisions. */
    log: { path: 'decisions.log', change: 'nothing' },
    /** The size of one file. */
    maxBytes: { path: 'decisions.max_size', change: 'nothing' },
    /** How many files are kept. */
    files: { path: 'decisions.files', change: 'nothing' },
  },
  log: {
    format: { path: 'log.format', change: 'nothing' },
    level: { path: 'log.level', change: 'nothing' },
  },
  metrics: {
    /** Whether every client that reaches the admin listener may read them. */
    public: { path: 'metrics.public', change: 'nothing' },
  },
  collector: {
    every: { path: 'metrics.otlp.every', change: 'nothing' },
  },
  traces: {
    /** Requests of a million that are traced. */
    perMillion: { path: 'traces.sample', change: 'nothing' },
  },
  identity: {
    /** Where people sign in; undefined where services alone have tokens. */
    issuer: { path: 'identity.issuer', change: 'lost' },
    /** Claim that names the plan. */
    planClaim: { path: 'identity.plan_claim', change: 'other' },
    /** Claim that people know the account by. */
    labelClaim: { path: 'identity.label_claim', change: 'nothing' },
    /** Claim that identifies a person. */
    accountClaim: { path: 'identity.account_claim', change: 'lost' },
    /** Public client of `svcctl login`. */
    clientId: { path: 'identity.client_id', change: 'nothing' },
    /** Public client of the web console; without it there is no sign-in to it. */
    consoleClientId: { path: 'identity.console_client_id', change: 'nothing' },
  },
  guests: {
    /** New devices per address and hour. */
    mintPerIpHour: { path: 'guests.mint_per_ip_hour', change: 'high is more' },
    /** The most that all guests together may spend in one UTC day. */
    guestsNanoUsdPerDay: { path: 'guests.usd_per_day_total', change: 'high is more' },
  },
  responses: {
    /** From the end of each response on. */
    keep: { path: 'responses.keep', change: 'high is more' },
    /** Bytes of one account, in the store. */
    maxBytes: { path: 'responses.max_bytes_per_account', change: 'high is more' },
    /** Responses of one account. */
    maxResponses: { path: 'responses.max_responses_per_account', change: 'high is more' },
    /** Bytes of all accounts together, in the store. */
    maxBytesTotal: { path: 'responses.max_bytes_total', change: 'high is more' },
    /** Whether those of guests are kept. */
    guests: { path: 'responses.guests', change: 'on is more' },
  },
  limits: {
    bodyBytes: { path: 'limits.body', change: 'high is more' },
    /** The memory of all bodies in flight together; without it the machine decides. */
    bodyMemoryBytes: { path: 'limits.body_memory', change: 'nothing' },
    /** The memory of all answers together that backends send, or clients have not read yet; without it the machine decides. */
    answerMemoryBytes: { path: 'limits.answer_memory', change: 'nothing' },
    /** Inputs of one embeddings request. */
    embeddingBatch: { path: 'limits.embedding_batch', change: 'high is more' },
    /** Keys of one account that work at a time. */
    keysPerAccount: { path: 'limits.keys_per_account', change: 'high is more' },
    /** Calls of the model in one answer with hosted tools, at most. */
    toolRounds: { path: 'limits.tool_rounds', change: 'high is more' },
    /** From its admission on, how long an answer may take that still starts, or waits for, hosted tools. */
    toolTime: { path: 'limits.tool_time', change: 'high is more' },
  },
  listener: {
    /** Until the headers of a request are complete. At most `requestTimeout`. */
    headersTimeout: { path: 'limits.headers_timeout', change: 'nothing' },
    /** Until its body is complete. */
    requestTimeout: { path: 'limits.request_timeout', change: 'nothing' },
    /** Between two requests, and with a client that reads nothing of its answer. */
    idleTimeout: { path: 'limits.idle_timeout', change: 'nothing' },
    /** At once. */
    connections: { path: 'limits.connections', change: 'high is more' },
    /** Connections, and running requests, of one address. */
    connectionsPerAddress: { path: 'limits.connections_per_ip', change: 'high is more' },
    /** Whether work is refused while there is too much of it. */
    shedLoad: { path: 'limits.shed_load', change: 'nothing' },
  },
  errors: {
    form: { path: 'errors.form', change: 'nothing' },
    /** Whether clients may read what backends say of themselves. */
    backendWords: { path: 'errors.backend_words', change: 'nothing' },
  },
  billing: {
    /** The unit of the amounts on invoices. */
    round: { path: 'billing.round', change: 'nothing' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, SectionSetting>>>>

type Rows = typeof rows
type Fields = typeof SECTION_FIELDS
export type Part = keyof Rows

/** Where a field outside of pools is written. */
type FieldPath = keyof Fields

type Written<T, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? Written<NonNullable<T[Head]>, Rest>
    : never
  : P extends keyof T
    ? T[P]
    : never
type ValueOf<R extends SectionSetting> = Fields[R['path']] extends { readonly unit: infer Kind }
  ? Kind extends 'usd' | 'price'
    ? NanoUsd
    : number
  : NonNullable<Written<ConfigFile, R['path']>>
type MayBeAbsent<R extends SectionSetting> = Fields[R['path']] extends { readonly default: unknown }
  ? false
  : undefined extends Written<ConfigFile, R['path']>
    ? true
    : false

type SettingsOf<R extends Readonly<Record<string, SectionSetting>>> = {
  readonly [K in keyof R as MayBeAbsent<R[K]> extends true ? never : K]: ValueOf<R[K]>
} & {
  readonly [K in keyof R as MayBeAbsent<R[K]> extends true ? K : never]?: ValueOf<R[K]>
}

/** The settings of a part. One without a default is absent where the files may leave it out and do. */
export type SectionSettings<P extends Part> = SettingsOf<Rows[P]>

type PathIn<R> = R extends SectionSetting ? R['path'] : PathIn<R[keyof R]>
/** Fields with code of their own: secrets, names, addresses and lists, and defaults that another field decides. */
type Apart =
  | 'brand'
  | 'zone'
  | 'fiscal_month_starts'
  | 'store'
  | `server.${'listen' | 'admin' | 'workers' | 'state_dir' | 'trusted_proxies' | 'variables'}`
  | `server.${'public_url' | 'admin_url' | 'fleet_url' | 'console_url' | 'admin_token'}`
  | `server.admin_tls.${string}`
  | `redis.${'password' | 'sentinel_password' | 'ca' | 'certificate' | 'key'}`
  | `ledger.archive.${string}`
  | 'decisions.path'
  | 'metrics.token'
  | `${'metrics.otlp' | 'traces'}.${'endpoint' | 'headers'}`
  | `identity.${'default_plan' | 'token_types' | 'admins' | 'support' | 'viewers' | 'issuers' | 'groups' | 'agent_secret' | 'scim.secret' | 'claude_login.notice' | 'claude_login.settings'}`
  | `guests.${'plan' | 'mint_per_net_hour' | 'secret' | 'former_secret'}`
  | `responses.${'key' | 'former_key'}`
  | 'limits.image_sizes'
  | `errors.${'docs' | 'topup'}`
  | `billing.seller.${string}`
  | `customer_notices.${string}`
type Forgotten = Exclude<FieldPath, PathIn<Rows[Part]> | Apart>

/** Does not compile while the schema has a field that neither a row nor code of its own takes. */
export const SECTION_SETTINGS: {
  readonly [P in Part]: Readonly<Record<keyof Rows[P], SectionSetting>>
} = rows satisfies [Forgotten] extends [never] ? unknown : `no row for ${Forgotten}`

const rowsOf = <P extends Part>(part: P) =>
  Object.entries(SECTION_SETTINGS[part]) as unknown as readonly (readonly [keyof SectionSettings<P>, SectionSetting])[]

/** Undefined for words, flags and texts. */
export function unitAt(path: FieldPath): Unit['kind'] | undefined {
  const field = SECTION_FIELDS[path]
  return 'unit' in field ? field.unit : undefined
}

export function defaultAt(path: FieldPath): unknown {
  const field = SECTION_FIELDS[path]
  return 'default' in field ? field.default : undefined
}

/** The settings of a part as the files have them, and the defaults of the others. */
export function settlePart<P extends Part>(part: P, file: ConfigFile): SectionSettings<P> {
  const settings: Record<string, unknown> = {}
  for (const [name, { path }] of rowsOf(part)) {
    const written = valueAt(file, path) ?? defaultAt(path)
    const unit = unitAt(path)
    if (written !== undefined)
      settings[String(name)] = unit === undefined ? written : unitOf(unit, written as string | number)
  }
  // The types of rows and of settings are those of one table.
  return settings as unknown as SectionSettings<P>
}

/** Each setting of a part that has a value, with the value. */
export function* valuesOf<P extends Part>(
  part: P,
  settings: SectionSettings<P>,
): Generator<readonly [SectionSetting, unknown]> {
  for (const [name, row] of rowsOf(part)) if (settings[name] !== undefined) yield [row, settings[name]]
}
