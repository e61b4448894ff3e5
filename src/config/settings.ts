import type { Config, Millis, Price } from '../policy/config.ts'
import type { EngineName } from '../policy/engines.ts'
import type { GroupEntry } from '../policy/groups.ts'
import type { LimitRule } from '../policy/limits/rule.ts'
import type { Address } from './model/formats.ts'
import type { Read } from './model/reads.ts'
import type { SmtpAddress } from './model/smtp-address.ts'
import type { Span } from './model/tree.ts'
import type { PoolSettings } from './pool-settings.ts'
import type { Problem } from './problem.ts'
import type { SectionSettings } from './section-settings.ts'

/** A valid configuration: policy, process settings, and warnings. */
export interface Loaded {
  readonly config: Config
  readonly settings: Settings
  /** Severity `warning` only. */
  readonly warnings: readonly Problem[]
  /** The files it was read from, as they were named. */
  readonly files: readonly string[]
  /** The files with their texts, main file first, by names relative to its directory. */
  readonly texts: readonly FileText[]
  /** Their references to the environment, or to files of secrets: names, and no values. */
  readonly reads: readonly Read[]
  /** The includes of the main file, as patterns from its directory on. */
  readonly includes: readonly string[]
  /** Where the fields of the main file stand: `brand`, `server`, `server.listen`; and `default_model`, in any file. */
  readonly fields: ReadonlyMap<string, Span>
  /** A digest of each section, by which gateways of a fleet say what they differ in. */
  readonly sections: Readonly<Record<string, string>>
  /** Changes with every byte of the files, and with every variable and secret they name. It is never shown. */
  readonly fingerprint: string
}

/** A file of a configuration, by its name relative to the directory of the main file. */
export interface FileText {
  readonly file: string
  readonly text: string
}

/** The settings of the process, beside the policy. Immutable. Those that one field decides are declared in the table of section settings. */
export interface Settings {
  /** `svc`: makes the key prefix `svc_` and the header prefix `x-svc-`. */
  readonly brand: string
  readonly server: SectionSettings<'server'> & {
    readonly listen: Address
    readonly admin: Address
    /** Without a trailing slash. */
    readonly publicUrl: string
    /** Absolute. */
    readonly stateDir: string
    /** Where people manage their keys, if there is such a page. */
    readonly consoleUrl?: string
    /** Where operators open the console, without a trailing slash; without it at the address of the admin listener. */
    readonly adminUrl?: string
    /** Where other gateways on the store reach the admin listener, without a trailing slash, if that is not where it listens. */
    readonly fleetUrl?: string
    /** The operators' bearer token; without it the process has a token of its own. */
    readonly adminToken?: Secret
    /** TLS of the admin listener; without it there is none. */
    readonly adminTls?: AdminTlsSettings
    /** Addresses and networks (CIDR) whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: readonly string[]
    /** Variables that applied files may use as secrets, besides those in use. */
    readonly variables: readonly string[]
    /** How many processes serve clients: a number, or as many as the machine has cores for. */
    readonly workers: number | 'auto'
  }
  readonly store: StoreSettings
  readonly ledger: SectionSettings<'ledger'> & {
    /** Where rows go before they would be removed; without it they are removed. */
    readonly archive?: ArchiveSettings
  }
  readonly decisions: DecisionSettings
  readonly log: LogSettings
  readonly metrics: MetricsSettings
  /** Where spans go; without it none are made. */
  readonly traces?: TraceSettings
  /** Where people sign in; without it only operators mint keys. */
  readonly identity?: IdentitySettings
  /** Keys for devices without an account; without it there are none. */
  readonly guests?: GuestSettings
  /** The settings of kept responses; without them none are kept. */
  readonly responses?: ResponseSettings
  readonly limits: SectionSettings<'limits'>
  readonly listener: ListenerSettings
  /** Links that error bodies carry, and how they are written. */
  readonly errors: SectionSettings<'errors'> & {
    readonly docs: string
    readonly topup?: string
  }
  /** Seller and rounding of invoices. */
  readonly billing: SectionSettings<'billing'> & {
    /** Who sends them. */
    readonly seller?: SellerSettings
  }
  /** Where notices go, by the name of the target. */
  readonly noticeTargets: ReadonlyMap<string, NoticeTargetSettings>
  /** Choices of customers for themselves; absent where they have none. */
  readonly customerNotices?: CustomerNoticesSettings
  /** Settings by pool name. */
  readonly backends: ReadonlyMap<string, BackendSettings>
  /** Settings by the name of the hosted tool. */
  readonly tools: ReadonlyMap<string, ToolSettings>
}

export interface CustomerNoticesSettings {
  /** Percentages of limits, ascending. */
  readonly at: readonly number[]
  /** The target whose server and sender mail to customers has. */
  readonly mail?: string
  readonly webhooks: boolean
}

/** A place that takes notices. */
export type NoticeTargetSettings =
  /** `secret` is `whsec_` and base64, as Standard Webhooks writes it. */
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: Secret }
  | ({ readonly kind: 'slack'; readonly url: Secret } & Digest)
  | ({
      readonly kind: 'mail'
      readonly password?: Secret
      readonly from: string
      readonly to: readonly string[]
    } & SmtpAddress &
      Digest)

interface Digest {
  /** How long notices are gathered for one message; 0: each has its own. */
  readonly digest: Millis
}

export interface SellerSettings {
  readonly name: string
  /** With line breaks. */
  readonly address?: string
  readonly taxId?: string
  readonly contact?: string
}

/** TLS of the admin listener, as PEM. */
export interface AdminTlsSettings {
  readonly certificate: Secret
  readonly key: Secret
  /** Who signs the certificates of operators; without it they need none. */
  readonly clientCa?: Secret
  /** Who signs the admin listeners of other gateways, beside well-known authorities; without it `certificate` itself. */
  readonly fleetCa?: Secret
  /** This gateway's certificate for others that ask for one; without it `certificate`. */
  readonly fleetCertificate?: Secret
  readonly fleetKey?: Secret
  /** Certificate names by the operators' rights. */
  readonly admins: readonly string[]
  readonly support: readonly string[]
  readonly viewers: readonly string[]
}

/** How rows leave the store. */
export type ArchiveSettings = {
  /** How long they stay there at least. */
  readonly keep: Millis
} & (PostgresSettings | FilesSettings | EndpointSettings)

interface PostgresSettings {
  readonly kind: 'postgres'
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly isTls: boolean
  /** The URL without the user. */
  readonly shown: string
  readonly password?: Secret
  /** As PEM. */
  readonly ca?: Secret
  readonly certificate?: Secret
  readonly key?: Secret
}

interface FilesSettings {
  readonly kind: 'files'
  /** Absolute. */
  readonly path: string
}

interface EndpointSettings {
  readonly kind: 'https'
  readonly url: string
  /** Sent as bearer. */
  readonly token?: Secret
}

/** The log of decisions. */
export interface DecisionSettings extends SectionSettings<'decisions'> {
  /** Absolute. */
  readonly directory: string
}

/** The output of the process. */
export interface LogSettings extends SectionSettings<'log'> {}
export type LogLevel = LogSettings['level']

/** Who reads metrics, beside operators. */
export interface MetricsSettings extends SectionSettings<'metrics'> {
  /** Clients that send this as bearer. */
  readonly token?: Secret
  /** Where they are sent besides. */
  readonly otlp?: MetricsCollector
}

/** A collector that takes metrics by OTLP over HTTP. */
export interface MetricsCollector extends SectionSettings<'collector'> {
  /** Its URL, without /v1/metrics. */
  readonly endpoint: string
  /** Values by header name. */
  readonly headers: ReadonlyMap<string, Secret>
}

export interface TraceSettings extends SectionSettings<'traces'> {
  /** The URL of the collector, without /v1/traces. */
  readonly endpoint: string
  /** Values by header name. */
  readonly headers: ReadonlyMap<string, Secret>
}

/** The bounds of a client's connection. */
export interface ListenerSettings extends SectionSettings<'listener'> {}

export type StoreSettings =
  /** The path is absolute. */
  | { readonly kind: 'embedded'; readonly path: string }
  /** `shown` is the URL without user and password. */
  | ({
      readonly kind: 'redis'
      readonly url: Secret
      readonly shown: string
      readonly sentinelPassword?: Secret
      readonly tls: RedisTls
    } & SectionSettings<'redis'>)

/** Certificates for TLS to Redis instead of this machine's own, as PEM. */
export interface RedisTls {
  /** Certificates that the server's must be signed by. */
  readonly ca?: Secret
  /** The client's own certificate. */
  readonly certificate?: Secret
  readonly key?: Secret
}

export interface IdentitySettings extends SectionSettings<'identity'> {
  /** The audience that tokens must name: the public URL. */
  readonly audience: string
  /** Accepted `typ` of tokens. */
  readonly tokenTypes: readonly string[]
  /** Accounts (`acct_…`) that are operators: they may do everything, or serve customers, or read. */
  readonly admins: readonly string[]
  readonly support: readonly string[]
  readonly viewers: readonly string[]
  /** Grants to members of the provider's groups, in order of precedence. */
  readonly groups: readonly GroupEntry[]
  /** The secret by which the provider deactivates people; absent where it may not. */
  readonly scim?: { readonly secret: Secret }
  /** The issuers of service tokens. */
  readonly issuers: readonly ServiceIssuer[]
  /** Signs agent tokens; without it a gateway on an embedded store makes one in state_dir. */
  readonly agentSecret?: Secret
  /** Sign-ins from Claude Code; absent where there are none. */
  readonly claudeLogin?: ClaudeLogin
}

export interface ClaudeLogin {
  /** Shown beside the code. */
  readonly notice?: string
  /** Managed settings by plan, as JSON has them. */
  readonly settings: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

/** Where tokens of services come from. */
export interface ServiceIssuer {
  readonly issuer: string
  /** The audience that its tokens must name. */
  readonly audience: string
  /** The first that fits a token is that of its account. */
  readonly accounts: readonly ServiceAccounts[]
}

/** Which tokens of services have accounts, and which. */
export interface ServiceAccounts {
  readonly name: string
  /** The accepted values of each claim. A trailing `*` matches any ending. */
  readonly claims: ReadonlyMap<string, readonly string[]>
  /** The claim whose value is the account. */
  readonly accountClaim: string
  readonly plan: string
  /** Limits of each of its accounts, replacing the plan's of the same kind or adding to them. */
  readonly limits?: readonly LimitRule[]
}

export interface GuestSettings extends SectionSettings<'guests'> {
  /** Mints per hour of a /64 of IPv6, or a /24 of IPv4. */
  readonly mintPerNetHour: number
  /** Roots that keys are derived from, newest first; empty where the gateway keeps one of its own in state_dir. */
  readonly secrets: readonly Secret[]
}

/** The responses that are kept for the clients of `POST /v1/responses`. */
export interface ResponseSettings extends SectionSettings<'responses'> {
  /** The keys that encrypt them, newest first; never empty. Texts of 32 random bytes, as they were written. */
  readonly keys: readonly Secret[]
}

/** How to speak to one pool's replicas. The table of pool settings declares the numbers among these. */
export interface BackendSettings extends PoolSettings {
  readonly key?: Secret
  /** How the key is sent: as bearer, where it is absent. */
  readonly auth?: Auth
  /** Sent with every request beside the key, by lower-case name. Absent where there is none. */
  readonly headers?: ReadonlyMap<string, string | Secret>
  /** The end of every URL, without its `?`: `api-version=2024-10-21`. */
  readonly query?: string
  /** Beta features of Messages that clients may ask for; what ends in `*` stands for all that begin so. Absent: none. */
  readonly betas?: readonly string[]
  /** The pool's price for the operator. */
  readonly cost?: Price
  readonly probe?: ProbeSettings
  readonly load?: LoadSettings
  /** Absent where requests wait for `queueTimeout`, first come, first served. */
  readonly queue?: QueueSettings
}

/** Where requests wait while a pool is full. */
export interface QueueSettings {
  /** Requests. */
  readonly max: number
  /** Requests of one account. */
  readonly ofAccount: number
  /** Bytes of the bodies of one account. */
  readonly bytes: number
  readonly timeout: Millis
  /** Before a later pool that has room. */
  readonly beforeNext: Millis
  /** For each priority that a request rises. */
  readonly aging: Millis
  /** Whether streams begin while they wait. */
  readonly comments: boolean
}

/** The header that has the key of a pool, and what stands before the key in it. */
export interface Auth {
  /** In lower case. */
  readonly header: string
  readonly prefix: string
}

export interface ProbeSettings {
  /** From the root of the host. */
  readonly path: string
  readonly every: Millis
}

/** Where the load of a pool's replicas is read. */
export interface LoadSettings {
  readonly from: EngineName
  /** A path from the root of the replica's host, or a port and a path: `:9400/metrics`. */
  readonly url: string
  readonly every: Millis
}

/** How a hosted tool is run. */
export type ToolSettings = McpToolSettings | HttpToolSettings | BuiltinToolSettings

interface ToolBounds {
  /** The time of one call. */
  readonly timeout: Millis
  /** UTF-8 bytes of a result that a model is given; the rest is cut. */
  readonly maxResultBytes: number
}

/** A tool of an MCP server. */
export interface McpToolSettings extends ToolBounds {
  readonly kind: 'mcp'
  readonly url: string
  readonly transport: 'streamable_http' | 'sse'
  /** Sent as bearer. */
  readonly key?: Secret
  /** The server's name for the tool. */
  readonly tool: string
  /** Replaces the description that the server gives. */
  readonly description?: string
}

/** A POST of the arguments as JSON, answered with the result as JSON. */
export interface HttpToolSettings extends ToolBounds {
  readonly kind: 'http'
  readonly url: string
  /** Sent as bearer. */
  readonly key?: Secret
  readonly description: string
  /** JSON Schema of the arguments: an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A tool of the gateway itself. */
export interface BuiltinToolSettings extends ToolBounds {
  readonly kind: 'builtin'
  readonly builtin: 'current_time' | 'calculator'
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
