// Generated from schema/config.schema.json by scripts/generate.js. Do not edit.

/**
 * Requests a path from every replica at an interval, even without client traffic. Two failures in a row eject a replica; a success readmits an ejected one once its time is over. `true` uses the defaults, or path and every from failover; `false` turns probes off.
 */
export type ProbeSection =
  | boolean
  | {
      /**
       * The path from the root of the host. Any answer from 200 to 299 is a success.
       */
      path?: string
      /**
       * The interval between two probes of a replica, at least 1s. Each probe may take that long, up to 5s.
       */
      every?: string
    }
export type LabelValue = string
/**
 * Announces limits whose settled use reaches a percentage, once for each percentage and window, over all gateways. Also announces events, each of them once. Only limits in calendar windows are announced (`hour`, `day`, `week`, `month`, `quarter`), including the monthly quota. Guests are never announced.
 *
 * @minItems 1
 * @maxItems 32
 */
export type Notices = NoticeSection[]
export type MailAddress = string
/**
 * Whether requests are served beyond monthly_usd: `false`, `true`, or `{ cap_usd: 100 }` for at most that much more.
 */
export type OverageSection =
  | boolean
  | {
      /**
       * US dollars that may be spent beyond monthly_usd.
       */
      cap_usd: number | string
    }
/**
 * A model as clients see it: its price, its abilities, and the pools that serve it.
 */
export type ModelSection = ChatModelSection | EmbeddingModelSection | ImageModelSection | PassthroughModelSection
/**
 * The name of a pool, or `{ pool: new, share: 5% }` for a pool that gets a share of the conversations.
 */
export type ServedPoolSection =
  | string
  | {
      /**
       * A name: letters, digits, dots, dashes and underscores, at most 64.
       */
      pool: string
      /**
       * The part of the model's conversations that go to this pool first, such as `5%`. The session decides, else the beginning of the chat, else the account. No other conversation ever comes here, not even while every other pool is down. The shares of a model add up to 100 % at most.
       */
      share: number | string
      canary?: CanarySection
    }
/**
 * The pools that answer, in failover order. An entry `{ pool: new, share: 5% }` gives a pool a share of the conversations and no failover traffic; such entries come first.
 *
 * @minItems 1
 */
export type Serve = ServedPoolSection[]
/**
 * US dollars per million input tokens that the backend wrote into its cache: one price, or `{ 5m: 3.75, 1h: 6 }` by how long it keeps them, as Anthropic does. Default: the input price; for a request that marks its prompt for a Messages cache, 1.25 times the input price, and twice it for an hour.
 */
export type CacheWriteSection =
  | number
  | string
  | {
      /**
       * The price of tokens that are kept for five minutes, or for as long as the backend chooses.
       */
      '5m': number | string
      /**
       * The price of tokens that are kept for an hour.
       */
      '1h': number | string
    }
/**
 * The length of a vector: 768, or `{ native: 768, any: true }` if the backends also make vectors of the size that a request names in `dimensions`.
 */
export type DimensionsSection =
  | number
  | {
      /**
       * The length of a vector if the request names none. Always 768.
       */
      native?: 768
      /**
       * Whether `dimensions` in a request may be another number. The backends receive it, and their vectors must have that length.
       */
      any?: boolean
    }
/**
 * US dollars for one image of this size, to at most 9 decimals.
 */
export type ImagePrice = number | string
/**
 * A name: letters, digits, dots, dashes and underscores, at most 64.
 */
export type Name = string
/**
 * The alias or model for requests that name none. Default: `svc-core`, which must then exist.
 */
export type DefaultModel = string
/**
 * The provider or engine behind the replicas. Its profile (docs/providers.md) says which fields it takes, which field caps an answer, and how its answers end. Give its name, or an object with that name as `is` and facts that override the profile. Default: the provider of the host that all addresses share, such as api.openai.com, or else none, which changes nothing.
 */
export type ProviderSection =
  | string
  | {
      /**
       * The name of the provider or engine. Default: as without `provider`.
       */
      is?:
        | 'openai'
        | 'azure'
        | 'anthropic'
        | 'gemini'
        | 'vertex'
        | 'bedrock'
        | 'xai'
        | 'deepseek'
        | 'mistral'
        | 'groq'
        | 'cerebras'
        | 'together'
        | 'fireworks'
        | 'openrouter'
        | 'dashscope'
        | 'moonshot'
        | 'zai'
        | 'vllm'
        | 'sglang'
        | 'llamacpp'
        | 'tgi'
        | 'ollama'
        | 'transformers'
        | 'litellm'
      /**
       * As `cap` of the pool.
       */
      cap?: 'max_tokens' | 'max_completion_tokens' | 'both'
      /**
       * Chat fields that are not sent to the replicas, in addition to those in the profile; `x-svc-ignored-fields` of the answer names them. `encoding_format` is a field of embeddings: vectors are then requested as numbers, and converted for clients that want base64.
       *
       * @minItems 1
       */
      drops?: (
        | 'temperature'
        | 'top_p'
        | 'top_k'
        | 'min_p'
        | 'top_a'
        | 'typical_p'
        | 'frequency_penalty'
        | 'presence_penalty'
        | 'repetition_penalty'
        | 'stop'
        | 'stop_token_ids'
        | 'include_stop_str_in_output'
        | 'skip_special_tokens'
        | 'spaces_between_special_tokens'
        | 'seed'
        | 'logprobs'
        | 'top_logprobs'
        | 'logit_bias'
        | 'parallel_tool_calls'
        | 'chat_template_kwargs'
        | 'reasoning_effort'
        | 'verbosity'
        | 'user'
        | 'safety_identifier'
        | 'prompt_cache_key'
        | 'store'
        | 'encoding_format'
      )[]
      /**
       * Whether the replicas accept the role `developer`. If not, such messages are sent as `system`.
       */
      developer_role?: boolean
      /**
       * Whether the replicas accept `stream_options`. If not, they must report the usage of streams unasked; a stream without usage is charged by an estimate.
       */
      stream_options?: boolean
      /**
       * Whether a stream without a finish reason counts as broken (`required`), or as whole once `[DONE]` arrives (`optional`).
       */
      finish_reason?: 'required' | 'optional'
      /**
       * The ids of tool calls that the replicas accept: `any`, or `nine_alphanumeric`, as Mistral's tokenizer requires. Ids of another form, from other models, are replaced.
       */
      call_ids?: 'any' | 'nine_alphanumeric'
      /**
       * Whether the replicas accept `cache_control` in messages, parts and tools of chats. If not, it is removed, and `x-svc-ignored-fields` reports that.
       */
      cache_marks?: boolean
      /**
       * Whether the replicas take `cache_salt`, which keeps the cached prompts of one account, or of one org, from all others, as `caches` of the pool says.
       */
      cache_salt?: boolean
      /**
       * Whether the replicas order requests by `priority`, as vLLM does with `--scheduling-policy priority` (`low_first`) and SGLang with `--enable-priority-scheduling` (`high_first`). Each chat is then sent with the `priority` of its plan, negated for `low_first`; a request in a slot guaranteed by its share goes before all others. Clients can never set it.
       */
      priority?: 'none' | 'low_first' | 'high_first'
      /**
       * Whether the usage of a whole answer with several choices (`n`) counts `all` of them, or `one`. With `one`, such answers are fetched as streams, so that every choice is counted, unless `fetch: whole` of the pool forbids it.
       */
      choices_usage?: 'all' | 'one'
      /**
       * Where the replicas accept the thoughts of earlier answers: in the `member` of a message in which an answer had them, such as `reasoning_content`, or as `parts` of its content with the type `thinking`, as Mistral does. Clients send them back as they received them; with `parts`, they are moved.
       */
      thoughts?: 'member' | 'parts'
    }
/**
 * How the key is sent: `bearer` (`authorization: Bearer KEY`), `x-api-key` (Anthropic), `api-key` (Azure OpenAI), or `{ header: NAME, prefix: TEXT }` for any other header. Default: `bearer`, or `x-api-key` for a pool that speaks only `messages`.
 */
export type AuthSection =
  | string
  | {
      /**
       * The header that carries the key.
       */
      header: string
      /**
       * The text before the key, such as `Token `.
       */
      prefix?: string
    }
/**
 * The share of the slots, such as `60%`.
 */
export type SlotShare = number | string
/**
 * The plan of the caller: a name, or several.
 *
 * @minItems 1
 */
export type Names = string | string[]
/**
 * The alias in the request: a name, or several.
 *
 * @minItems 1
 */
export type AliasNames = string | string[]
/**
 * A time zone, such as `Europe/Berlin`.
 */
export type Zone = string
/**
 * Smart routing, in one file. The first route that applies upgrades a request that names an alias or no model. A model that the client names is never changed, and a route to a model that the plan lacks is skipped.
 */
export type Routes = RouteSection[]
/**
 * A hosted tool: one of an MCP server (`mcp`), one behind a URL (`http`), or one of the gateway itself (`builtin`).
 */
export type HostedToolSection = McpToolSection | HttpToolSection | BuiltinToolSection
/**
 * The key of the tool, sent as bearer: `${VARIABLE}`, or `file:PATH` relative to the main configuration file (also in an included file).
 */
export type ToolKey = string
/**
 * The most calls of the tool in one answer, 1 to 100.
 */
export type MaxCalls = number | string
/**
 * The most bytes of a result that the model receives, `256B` to `1MB`. The rest is cut off.
 */
export type MaxResult = number | string
/**
 * US dollars per call, whatever its outcome, with at most 9 decimals.
 */
export type UsdPerCall = number | string
/**
 * Pass-through routes: paths below /v1 whose requests go to the pools of one model, and are admitted, charged and recorded like any other. Each path is declared once.
 */
export type Passthrough = PassthroughSection[]

/**
 * The main configuration file of svc-gateway. Relative paths in it, and in the files it includes, start at its own directory.
 */
export interface ConfigFile {
  /**
   * The version of this format. Always 1.
   */
  version: 1
  /**
   * The prefix of keys (`svc_`) and headers (`x-svc-`). Lower-case letters and digits. Changing it invalidates every key.
   */
  brand?: string
  server?: ServerSection
  /**
   * Where keys, counters and the ledger are kept: `embedded:PATH`, a directory that belongs to one process; `redis://[user:password@]host[:port][/db]`, which many gateways can share; `redis+sentinel://[user:password@]host[:port],host[:port]/name[/db]`, where sentinels find the primary; or `redis+cluster://[user:password@]host[:port],host[:port]`, with some of the cluster's nodes. `rediss` uses TLS. Take the password from a `${VARIABLE}`.
   */
  store?: string
  redis?: RedisSection
  ledger?: LedgerSection
  decisions?: DecisionsSection
  log?: LogSection
  metrics?: MetricsSection
  traces?: TracesSection
  identity?: IdentitySection
  guests?: GuestsSection
  responses?: ResponsesSection
  failover?: FailoverSection
  limits?: LimitsSection
  errors?: ErrorsSection
  billing?: BillingSection
  /**
   * The time zone of days, weeks, months and quarters, with its daylight saving: of limits, `per_day`, `monthly_usd`, usage and invoices. Seconds, minutes and hours are the same everywhere, and so are windows that slide, such as `30d`. A change starts new counters; issued invoices stay as they are.
   */
  zone?: string
  /**
   * The day on which months begin, 1 to 28: with `26`, a month lasts from the 26th to the 25th. One that begins after the 15th has the name of the month in which it ends. Quarters begin with the months named January, April, July and October.
   */
  fiscal_month_starts?: number | string
  labels?: Labels
  notices?: Notices
  notice_targets?: NoticeTargets
  customer_notices?: CustomerNoticesSection
  /**
   * Files that hold plans, models, aliases, pools, routes and hosted tools, as paths or patterns with `*` and `?`, relative to this file.
   */
  include?: string[]
  plans?: Plans
  models?: Models
  aliases?: Aliases
  default_model?: DefaultModel
  pools?: Pools
  routes?: Routes
  hosted_tools?: HostedTools
  passthrough?: Passthrough
}
/**
 * The two listeners, and the addresses under which others reach them.
 */
export interface ServerSection {
  /**
   * Where clients connect, as `host:port`.
   */
  listen?: string
  /**
   * The URL under which clients reach the gateway. Default: http:// and the listen address.
   */
  public_url?: string
  /**
   * The address of the admin listener, as `host:port`: svcctl, metrics and health checks use it. Never expose it.
   */
  admin?: string
  /**
   * The admin token, which operators and the other gateways on the store send as bearer: `${VARIABLE}`, or `file:PATH` relative to this file. At least 16 characters. A reload reads the file again, and from then on only the token in it works. Adding or removing this field needs a restart. Without it, the gateway uses SVCCTL_TOKEN if that is set, or else makes a token at each start. Either way, state_dir/admin.token has the token.
   */
  admin_token?: string
  /**
   * The URL under which operators open the console of the admin listener, if it is not the listener's own: behind a proxy, or under a name. The console answers to this name, to an address and to localhost only.
   */
  admin_url?: string
  /**
   * The URL under which the other gateways on the store reach this one's admin listener, such as `http://${POD_IP}:9090`. Default: the listen address, or the machine's name if it listens on all addresses.
   */
  fleet_url?: string
  admin_tls?: AdminTlsSection
  /**
   * The number of processes that serve clients: `auto` for as many as the machine has cores for, or a number up to 64. With 1, one process does everything. More workers serve more requests on four or more cores; with fewer cores, `auto` means 1.
   */
  workers?: number | string
  /**
   * The number of gateways that share the store. An embedded store serves only one.
   */
  instances?: number | string
  /**
   * A directory for the gateway's own files, such as the admin token.
   */
  state_dir?: string
  /**
   * Where people manage their keys. Errors link to it, or to the page of errors if there is none. Default: public_url and /console, if identity.console_client_id lets people sign in there. Set this to use another address.
   */
  console_url?: string
  /**
   * Whether the gateway serves its web console: at /console of the listener for clients, and for operators at /console of the admin listener.
   */
  console?: boolean
  /**
   * Where people reach the operator, as the web console shows it. Without it, the console mentions the operator without a link.
   */
  contact?: string
  /**
   * Addresses and networks of proxies whose X-Forwarded-For is trusted, such as `10.0.0.0/8` or `::1`. Default: none.
   */
  trusted_proxies?: string[]
  /**
   * Environment variables that files sent over the network (`svcctl apply`) may name as secrets, such as the key of a new pool. Variables already in use may always be named. Only the list on the gateway's own disk counts.
   */
  variables?: string[]
  /**
   * How long requests are still accepted after SIGTERM while /readyz answers 503, so that a load balancer notices first.
   */
  drain_delay?: string
  /**
   * How long running requests and streams may continue after drain_delay. Longer streams end with an error event. WebSockets are closed at the start of this time.
   */
  drain_timeout?: string
}
/**
 * TLS of the admin listener. A reload reads the files again and uses the new certificate for new connections. A broken certificate is refused, and the old one stays in use. Turning TLS on or off needs a restart.
 */
export interface AdminTlsSection {
  /**
   * The certificate of the listener as PEM, followed by its intermediates: `file:PATH` relative to this file, or `${VARIABLE}`.
   */
  certificate: string
  /**
   * The private key of `certificate`, as PEM.
   */
  key: string
  /**
   * The authorities that sign operators' certificates, as PEM. With it, every operator needs a certificate and is known by its name (CN); a token or sign-in alone is refused. Health probes and holders of metrics.token need none.
   */
  client_ca?: string
  /**
   * The authorities, as PEM, that sign the admin listeners of the other gateways on the store, in addition to well-known ones. Default: certificate, which gateways may share.
   */
  fleet_ca?: string
  /**
   * The certificate, as PEM, that this gateway presents to gateways with client_ca. Their client_ca must have signed it, and they must list its name (CN) in admins. Default: certificate.
   */
  fleet_certificate?: string
  /**
   * The private key of fleet_certificate, as PEM.
   */
  fleet_key?: string
  /**
   * Certificate names (CN) of operators who may do everything.
   */
  admins?: string[]
  /**
   * Certificate names (CN) of support staff: they read everything, grant credit, and mint, rotate and revoke keys.
   */
  support?: string[]
  /**
   * Certificate names (CN) of operators who may only read.
   */
  viewers?: string[]
}
/**
 * How to connect to a store in Redis, in addition to the `store` line. Passwords and certificates can change by a reload, while requests are served.
 */
export interface RedisSection {
  /**
   * The password of the user in `store`, or of the default user, instead of one in `store`: `${VARIABLE}`, or `file:PATH` relative to this file. A reload reads the file again, and tries the new password before it replaces the old one.
   */
  password?: string
  /**
   * The password of the sentinels in `store`, if they require one. `user:password` in `store` and `password` belong to the primary.
   */
  sentinel_password?: string
  /**
   * The authorities that sign the server's certificate, as PEM, instead of those that this machine trusts. Needs `rediss://`.
   */
  ca?: string
  /**
   * The client certificate, as PEM, if the server requires one (`tls-auth-clients yes`, its default). Needs `rediss://` and `key`.
   */
  certificate?: string
  /**
   * The private key of `certificate`, as PEM.
   */
  key?: string
  /**
   * How long Redis may stay silent before it counts as down and requests get 503. Time in which this process had no CPU does not count. An answer to any call restarts the time, so a call waits at most twice as long. A refused or reset connection counts as down at once. Changing it needs a restart.
   */
  answer_timeout?: string
}
/**
 * The rows that are written for every request: who, which model, tokens and cost.
 */
export interface LedgerSection {
  /**
   * How long rows are kept, at least `1d`. Their sums by day, account, plan and model are kept forever.
   */
  keep?: string
  archive?: ArchiveSection
}
/**
 * Where ledger rows move to, so that the store need not hold them. A row leaves the store only once the archive has it. Without an archive, rows are deleted after `ledger.keep`; with one, that is how long they wait for an archive that does not answer.
 */
export interface ArchiveSection {
  /**
   * One of `postgres://user@host[:port]/database`, a table that commands and endpoints read together with the store, with TLS unless it ends in `?sslmode=disable` or the host is this machine; `file:DIRECTORY`, compressed NDJSON with one file per day; or `https://host/path`, which receives NDJSON by POST.
   */
  to: string
  /**
   * How long rows stay in the store, at least `1d` after the admission of their request, and shorter than `ledger.keep`.
   */
  keep?: string
  /**
   * The password of the user at PostgreSQL: `${VARIABLE}`, or `file:PATH` relative to this file. A reload reads the file again.
   */
  password?: string
  /**
   * The authorities that sign PostgreSQL's certificate, as PEM, instead of those that this machine trusts.
   */
  ca?: string
  /**
   * The client certificate, as PEM, if PostgreSQL requires one. Needs `key`.
   */
  certificate?: string
  /**
   * The private key of `certificate`, as PEM.
   */
  key?: string
  /**
   * The bearer token for an archive at `https://`.
   */
  token?: string
}
/**
 * The decision log: a JSON line for every decided request, with the facts behind the decision and its outcome. It has no prompts and no keys. `svcctl explain --request` and `svcctl replay` read it.
 */
export interface DecisionsSection {
  /**
   * Whether decisions are recorded.
   */
  log?: boolean
  /**
   * The directory of the files. Each gateway needs its own. Default: decisions in server.state_dir.
   */
  path?: string
  /**
   * The size at which a new file begins. At least 1MB.
   */
  max_size?: string | number
  /**
   * The number of files to keep. A new file replaces the oldest.
   */
  files?: number | string
}
/**
 * The output of the process: a line per request on stdout, alarms on stderr. Lines never contain prompts, answers or keys.
 */
export interface LogSection {
  /**
   * `text` for people, or `json` with one object per line. The demo always prints text.
   */
  format?: 'text' | 'json'
  /**
   * The lowest level that is printed. `info`: every request. `warn`: alarms, and requests that failed in the gateway or a backend. `error`: alarms caused by a fault.
   */
  level?: 'info' | 'warn' | 'error'
}
/**
 * Who may read /metrics on the admin listener, besides operators.
 */
export interface MetricsSection {
  /**
   * Whether anyone who reaches the admin listener may read metrics.
   */
  public?: boolean
  /**
   * A bearer token for scrapers, which reads /metrics and nothing else: `${VARIABLE}`, or `file:PATH` relative to this file. At least 16 characters.
   */
  token?: string
  otlp?: MetricsOtlpSection
}
/**
 * Sends the contents of /metrics to a collector as well, by OTLP over HTTP. Default: off.
 */
export interface MetricsOtlpSection {
  /**
   * The URL of the collector. Metrics go to /v1/metrics below it, as JSON.
   */
  endpoint: string
  /**
   * The interval between exports.
   */
  every?: string
  /**
   * Headers that the collector requires.
   */
  headers?: TraceHeader[]
}
/**
 * A header, such as `authorization`.
 */
export interface TraceHeader {
  /**
   * The name of the header.
   */
  name: string
  /**
   * The value of the header, which may contain blanks: `${VARIABLE}`, or `file:PATH` relative to this file.
   */
  secret: string
}
/**
 * Sends spans of requests and of attempts at backends to a collector, by OTLP over HTTP. Spans never contain prompts, answers or keys. Default: off.
 */
export interface TracesSection {
  /**
   * The URL of the collector. Spans go to /v1/traces below it, as JSON.
   */
  endpoint: string
  /**
   * The share of requests that is traced, chosen by trace id.
   */
  sample?: number | string
  /**
   * Headers that the collector requires.
   */
  headers?: TraceHeader[]
}
/**
 * Sign-in for people: an OIDC provider whose access tokens are accepted. Without it, only operators mint keys.
 */
export interface IdentitySection {
  /**
   * The `iss` of the tokens, compared exactly; the discovery document is read below it. https, or http on loopback. The audience of tokens must be server.public_url. Without it, people cannot sign in, and only the services of `issuers` have tokens.
   */
  issuer?: string
  /**
   * The claim that names the plan of the account. Without it, tokens do not choose plans.
   */
  plan_claim?: string
  /**
   * The claim that labels the account for people, such as `email`. Without it, accounts are shown by their ids.
   */
  label_claim?: string
  /**
   * The plan of accounts for which neither an operator nor the token names one.
   */
  default_plan: string
  /**
   * The accepted `typ` of tokens. ID tokens are always refused.
   *
   * @minItems 1
   */
  token_types?: string[]
  /**
   * Ids of accounts that are operators with all rights once they have signed in.
   */
  admins?: string[]
  /**
   * Ids of accounts of support staff: they read everything that operators may, grant credit, and mint, rotate and revoke keys.
   */
  support?: string[]
  /**
   * Ids of accounts that are operators who may only read.
   */
  viewers?: string[]
  /**
   * Other OIDC issuers, whose tokens services send instead of a key: Kubernetes, or a CI. Such a token works for requests of clients. It manages no keys, and never belongs to an operator.
   *
   * @minItems 1
   * @maxItems 20
   */
  issuers?: ServiceIssuerSection[]
  /**
   * Plans, orgs and roles for members of the provider's groups. Plan, org and role each come from the first matching entry that states them. `svcctl accounts set-plan` and `set-org` take precedence over groups, and groups over `plan_claim`. A token whose groups cannot be read is refused.
   *
   * @minItems 1
   * @maxItems 100
   */
  groups?: GroupSection[]
  /**
   * The claim that identifies a person, and thereby the account: one that nobody chooses and the provider never gives to another person, such as `oid` of Entra or `uid` of Okta. Another claim opens other accounts, without usage or keys.
   */
  account_claim?: string
  scim?: ScimSection
  /**
   * The public client that `svcctl login` uses at the provider.
   */
  client_id?: string
  /**
   * The public client that the web console uses at the provider: authorization code with PKCE, redirect to console_url and /callback, with its origin allowed at the token endpoint (CORS). Without it, the console has no sign-in.
   */
  console_client_id?: string
  /**
   * The secret that signs agent tokens (`svcctl token`), at least 32 characters: `${VARIABLE}`, or `file:PATH` relative to this file. Without it, the gateway uses SVC_AGENT_SECRET if that is set, or else, with an embedded store, makes one in state_dir. Gateways that share a Redis need the same one, and issue no agent tokens without it. A change ends the tokens that were issued before.
   */
  agent_secret?: string
  claude_login?: ClaudeLoginSection
}
/**
 * An issuer of tokens for services, and the accounts of those services.
 */
export interface ServiceIssuerSection {
  /**
   * The `iss` of its tokens, compared exactly; the discovery document is read below it. https, or http on loopback. It must differ from `identity.issuer`.
   */
  issuer: string
  /**
   * The audience that `aud` of its tokens must contain, compared exactly. Default: server.public_url.
   */
  audience?: string
  /**
   * The tokens that get an account, each with its plan. The first entry that matches a token's claims applies; a token that matches none is refused.
   *
   * @minItems 1
   * @maxItems 100
   */
  accounts: ServiceAccountSection[]
}
/**
 * Tokens with these claims, and their accounts.
 */
export interface ServiceAccountSection {
  /**
   * Separates these accounts from those of other entries. Renaming an entry gives it new accounts without any usage.
   */
  name: string
  /**
   * Claims that a token must have, each with one accepted value or several. A trailing `*` matches any text. Put the separator before it, since `acme*` also matches `acme-evil`.
   */
  claims: {
    /**
     * @minItems 1
     */
    [k: string]: string | string[]
  }
  /**
   * The claim whose value identifies the account, and labels it for operators, such as `repository`.
   */
  account_claim?: string
  /**
   * The plan of these accounts, unless an operator moves one to another plan.
   */
  plan: string
  /**
   * Limits of each of these accounts, in addition to the plan's, or in place of those that count the same: rows as in `plans.limits`, of the account or its users. They belong to the plan: an account that an operator moves to another plan has only the limits of that plan.
   *
   * @minItems 1
   * @maxItems 16
   */
  limits?: LimitRuleSection[]
}
/**
 * A limit on one of requests, tokens, input_tokens, output_tokens, images, seconds, usd and concurrent, and its window.
 */
export interface LimitRuleSection {
  /**
   * Requests. Each counts when it is admitted, whatever its outcome.
   */
  requests?: number | string
  /**
   * Prompt and completion tokens.
   */
  tokens?: number | string
  /**
   * Prompt tokens, and tokens of embedding inputs.
   */
  input_tokens?: number | string
  /**
   * Completion tokens.
   */
  output_tokens?: number | string
  /**
   * Generated images.
   */
  images?: number | string
  /**
   * Seconds of a backend's time, on pass-through routes that are charged by the second.
   */
  seconds?: number | string
  /**
   * US dollars, at the prices of the models.
   */
  usd?: number | string
  /**
   * Concurrent requests. It takes no `per`.
   */
  concurrent?: number | string
  /**
   * The window. `second`, `hour`, `day`, `week`, `month` and `quarter` begin and end by the clock: seconds and hours of UTC, the others of `zone`, weeks on Monday, months on `fiscal_month_starts`; `minute`, and days such as `30d`, are the last 60 seconds or 30 days, whenever they are looked at.
   */
  per?: string
  /**
   * For `of: session`, in place of `per`: how long a session may go without a request before its count ends, from 1 minute to 90 days. Clients choose session ids, so this limit is not a security boundary.
   */
  idle?: string
  /**
   * For `of: session`: the output tokens of a last answer, in which the agent can write down where its work stands. The limit sets aside this many tokens and a prompt as long as the request's. The first request that no longer fits gets them, once; later ones are refused.
   */
  last_turn?: number | string
  /**
   * For `of: session`: with `append at 80%`, requests end with a short notice to the model once the session has used 80 % of the limit, and with another one in its last turn. Clients do not see the notice, and backends bill it as part of the prompt. It follows everything else, so prompt caches keep working.
   */
  warn?: string
  /**
   * Who shares the limit: each account (`account`), each key (`key`), each end user that an account's requests name in `user` (`user`), each session of an account (`session`, with `idle`), all accounts on the plan (`plan`), all accounts of an organization (`org`), all requests of the gateway (`everybody`), or each value of a label, as `label:project`: of an organization, or else of an account.
   */
  of?: string
  /**
   * The model, or the models of a tier as `tier:NAME`, whose requests count. Default: all.
   */
  model?: string
}
/**
 * Some groups of the provider, and what their members get: at least one of `plan`, `org` and `role`.
 */
export interface GroupSection {
  /**
   * The top-level claim of the access token that lists the groups of a person: a list of texts, or one text for one group.
   */
  claim: string
  /**
   * The group, or several of which one is enough, compared exactly. A trailing `*` matches any text. Put the separator before it, since `ml*` also matches `mlops-guests`.
   *
   * @minItems 1
   * @maxItems 20
   */
  is: string | string[]
  /**
   * The plan of these people, unless an operator moves an account to another plan.
   */
  plan?: string
  /**
   * The org of these people, without `org:`, unless an operator moves an account to another org. It begins with its first account.
   */
  org?: string
  /**
   * The role of these people as operators, for as long as their token is valid. `support` and `admin` need exact names of groups. `identity.admins`, `support` and `viewers` take precedence.
   */
  role?: 'viewer' | 'support' | 'admin'
  /**
   * Limits of each account that gets its plan from this entry, in addition to the plan's, or in place of those that count the same: rows as in `plans.limits`, of the account or its users. They belong to the plan: an account that an operator moves to another plan has only the limits of that plan.
   *
   * @minItems 1
   * @maxItems 16
   */
  limits?: LimitRuleSection[]
}
/**
 * Has the provider freeze the accounts of people who leave: it sends `/scim/v2/Users` whom it deactivates. Without it, that path is not served.
 */
export interface ScimSection {
  /**
   * The bearer token that the provider sends, at least 32 characters: `${VARIABLE}`, or `file:PATH` relative to this file.
   */
  secret: string
}
/**
 * Lets people sign in from Claude Code by `/login`: the gateway speaks the gateway protocol of Claude Code, and people approve the code in the web console. It needs `console_client_id`. Without it, those paths are not served.
 */
export interface ClaudeLoginSection {
  /**
   * A text that Claude Code shows beside the code.
   */
  notice?: string
  /**
   * Managed settings of Claude Code, as in its `managed-settings.json`, by plan. Claude Code asks for them at its start and once an hour, and applies them on the developer's machine; the gateway applies none itself. A plan that is not named has none.
   */
  settings?: {
    [k: string]: ClaudeSettings
  }
}
/**
 * Settings of Claude Code, under the names and in the forms of its own documentation.
 */
export interface ClaudeSettings {
  [k: string]: unknown
}
/**
 * Keys for devices without an account. Each device has one key, and gets the same key whenever it asks. Default: no guests.
 */
export interface GuestsSection {
  /**
   * The plan of every device. It may include only models of the tier `guest`, and no token can claim it.
   */
  plan: string
  /**
   * The number of new devices from one address per hour.
   */
  mint_per_ip_hour?: number | string
  /**
   * The number of new devices from one network (/64 of IPv6, /24 of IPv4) per hour. Default: ten times mint_per_ip_hour.
   */
  mint_per_net_hour?: number | string
  /**
   * US dollars that all guests together may spend in a UTC day.
   */
  usd_per_day_total: number | string
  /**
   * The secret from which keys of devices are derived, at least 32 characters: `${VARIABLE}`, or `file:PATH` relative to this file. Without it, the gateway uses SVC_GUEST_SECRET if that is set, or else, with an embedded store, makes one in state_dir.
   */
  secret?: string
  /**
   * The previous secret, so that devices with a key from it can still ask for that key.
   */
  former_secret?: string
}
/**
 * Stores what clients send to and receive from `POST /v1/responses`, encrypted, so that `previous_response_id`, `item_reference` and `store: true` work. Without it, no part of a prompt or an answer is stored.
 */
export interface ResponsesSection {
  /**
   * How long a response is kept after it ends, from `1m` to `30d`. A change applies to responses kept from then on.
   */
  keep: string
  /**
   * The key that encrypts responses: 32 random bytes in base64 or hex (`openssl rand -base64 32`), as `${VARIABLE}`, or `file:PATH` relative to this file. Gateways that share a store need the same one.
   */
  key: string
  /**
   * The previous key, for responses that were encrypted with it.
   */
  former_key?: string
  /**
   * The room for one account's responses in the store, at least `64KB`. When it is full, the oldest are deleted.
   */
  max_bytes_per_account?: number | string
  /**
   * The most responses to keep per account, up to `10k`. Beyond that, the oldest are deleted.
   */
  max_responses_per_account?: number | string
  /**
   * The room for all accounts' responses in the store, at least `64KB`. Once it is full, further responses are answered but not kept. Set it below the memory of Redis, or the disk space, that is free for them.
   */
  max_bytes_total?: number | string
  /**
   * Whether responses of guests are kept too. Guest keys cost nothing, so guests can fill `max_bytes_total`.
   */
  guests?: boolean
}
/**
 * Timeouts for backends, and when to eject a replica. A pool can override each of these.
 */
export interface FailoverSection {
  /**
   * The time from dispatch until the connection is established.
   */
  connect_timeout?: string
  /**
   * For streams: the time from dispatch to the response headers.
   */
  headers_timeout?: string
  /**
   * For streams: the longest silence before the first content, including reasoning. A backend that has sent any byte within the last 15 s, such as a comment, gets longer, up to 600 s. Set 120s for a model that thinks silently; this is the default if the profile of the pool's `provider` says so.
   */
  first_content_timeout?: string
  /**
   * For streams: the longest silence between chunks.
   */
  idle_timeout?: string
  /**
   * For streams: the time from dispatch to the end.
   */
  stream_timeout?: string
  /**
   * For whole answers: the time from dispatch to the end of one attempt.
   */
  answer_timeout?: string
  /**
   * How long a request waits for room in a pool that has max_concurrent requests running, or max_concurrent_each at every replica.
   */
  queue_timeout?: string
  /**
   * The longest Retry-After of a 429 to wait out in the pool before trying the next one.
   */
  wait_for_retry_after?: string
  eject?: EjectSection
  probe?: ProbeSection
}
/**
 * When to eject a failing replica, so that it receives no requests, and for how long. A failure rate of half of at least 20 requests in 10 s ejects it too.
 */
export interface EjectSection {
  /**
   * Consecutive failures.
   */
  after?: number | string
  /**
   * How long a replica is ejected the first time. Each further time in a row doubles it, up to 60s.
   */
  for?: string
}
/**
 * Bounds for every request.
 */
export interface LimitsSection {
  /**
   * The largest request body, such as `10MB` (1 MB is 1,000,000 bytes). A larger one is answered with 413.
   */
  body?: number | string
  /**
   * The most memory that the bodies of all running requests may use until their answers begin. One account or address gets at most half of it. When it is full, the account with the most loses a body that is still arriving; beyond that, requests get 503. At least twice `body`. Default: a quarter of the memory that the process may use, but no more than 256MB or twice `body`, whichever is larger.
   */
  body_memory?: number | string
  /**
   * The most memory that answers may use, from a backend's first byte until the client has read the last: whole answers of every endpoint, and the unread part of streams. One account or address gets at most half of it, except for a single answer. An answer counts twice while the gateway reads, translates or seals it, and the first one may exceed the limit by itself. Data that a stream keeps until its end counts too. An answer that finds no room waits, and becomes a 503 if its account and address free none within 5 s; if its account uses less than others, the account with the most loses an answer instead. After its first minute, a client that reads less than 32 KB/s on average loses its answer as well. At least 68MB per worker, since a whole answer may be 67MB. Default: a quarter of the memory that the process may use, but no more than 256MB.
   */
  answer_memory?: number | string
  /**
   * The most inputs in one embeddings request, up to 2048.
   */
  embedding_batch?: number | string
  /**
   * The image sizes that requests may name, as `<width>x<height>`. A request without a size gets the model's first one.
   *
   * @minItems 1
   */
  image_sizes?: string[]
  /**
   * How long the headers of a request may take, from its first byte, or from the start of the connection for the first request. Checked each second; slower ones get 408. At most request_timeout.
   */
  headers_timeout?: string
  /**
   * How long a request may take to arrive, including its body. Checked each second; slower ones get 408. A body that a pass-through route streams may take longer: see `max_body` there.
   */
  request_timeout?: string
  /**
   * How long a connection stays open between two requests, or while the client reads nothing of its answer. Make it longer than the idle timeout of a load balancer in front, often 60s.
   */
  idle_timeout?: string
  /**
   * The most client connections at once; further ones are closed on arrival. The process needs twice as many file descriptors.
   */
  connections?: number | string
  /**
   * The most connections, and running requests, from one address (IPv6: one /64) at once. Proxies in server.trusted_proxies are exempt: running requests count for the address that they forward for.
   */
  connections_per_ip?: number | string
  /**
   * The most working keys of an account, up to 1000. While a key is replaced, both count. A guest device has one.
   */
  keys_per_account?: number | string
  /**
   * The most model calls in one answer with hosted tools, 2 to 32.
   */
  tool_rounds?: number | string
  /**
   * How long after its admission an answer may still start, or wait for, hosted tools.
   */
  tool_time?: string
  /**
   * Whether to refuse inference and new keys with 503 while the process cannot keep up: for guests when the event loop is 100 ms late or 80 % of the heap is in use, for everybody at 250 ms or 90 %, until 5 s after. Only lag that this process's own CPU use explains counts: on a machine kept busy by other programs, answers are late and nobody is refused.
   */
  shed_load?: boolean
}
/**
 * The form of error bodies, and the links in them.
 */
export interface ErrorsSection {
  /**
   * The form of error bodies. `spec`: {error: text, code}. `openai`: {error: {message, type, param, code}, code}. `auto`: spec for browsers, generic HTTP libraries and requests without a user agent, openai for all other software. /v1/responses and /v1/messages always use the form of their own dialect.
   */
  form?: 'auto' | 'spec' | 'openai'
  /**
   * Whether clients may read backends' own error messages. With false, a 503 contains no words of a backend, and refusals omit names of organizations, projects and deployments. Keys, addresses and file paths are always removed.
   */
  backend_words?: boolean
  /**
   * A page that explains the error codes. Default: public_url and /docs/errors.
   */
  docs?: string
  /**
   * A page where a client buys more. Default: console_url and /billing, or the page of errors if there is no console_url.
   */
  topup?: string
}
/**
 * Details on invoices. An issued invoice keeps those from when it was issued.
 */
export interface BillingSection {
  seller?: SellerSection
  /**
   * The precision of amounts on invoices: cent for the nearest cent, distributed by largest remainder so that lines still add up to the total; exact for billionths of a dollar. Quotas, limits and the ledger are exact either way.
   */
  round?: 'exact' | 'cent'
}
/**
 * The sender named on invoices. Default: public_url.
 */
export interface SellerSection {
  /**
   * The name of the company or person.
   */
  name: string
  /**
   * The postal address, one entry per line.
   */
  address?: string
  /**
   * The tax number of the seller.
   */
  tax_id?: string
  /**
   * Where customers ask about an invoice: an email address or a URL.
   */
  contact?: string
}
/**
 * Labels that requests are counted under, such as `project`, by name. A row of the ledger has their values; `svcctl usage --by project` sums them.
 */
export interface Labels {
  [k: string]: LabelSection
}
/**
 * One label: where its value comes from, which values it may have, and who must send one.
 */
export interface LabelSection {
  /**
   * `key`: operators give keys a value at mint (`svcctl keys mint --label project=web`), which never changes, goes along with rotation, and which no header overrides. `header NAME`: requests of keys without a value may send one.
   *
   * @minItems 1
   * @maxItems 2
   */
  from: string[]
  /**
   * The values that it may have; requests with any other are refused with 400. Default: any well-formed value.
   *
   * @minItems 1
   * @maxItems 1000
   */
  values?: LabelValue[]
  /**
   * The plans whose requests are refused with 400 without a value, as `plan:NAME`.
   *
   * @minItems 1
   * @maxItems 1000
   */
  required?: string[]
}
/**
 * The limits or events to announce, and their targets. Set `at` and `of` for limits, `on` for events, or all three.
 */
export interface NoticeSection {
  /**
   * Percentages of a limit. A request that reaches several of them is announced once, with the highest.
   *
   * @minItems 1
   * @maxItems 10
   */
  at?: string[]
  /**
   * The limits, by who shares them, as `of` of a limit. The quota and named limits such as `per_day` are of `account`.
   *
   * @minItems 1
   */
  of?: ('account' | 'key' | 'user' | 'plan' | 'org' | 'everybody')[]
  /**
   * Events. `expiring_keys`: a key stops working in 7 days, and in 1 day. `freezes`: an account or an org is frozen, or served again. `ejected_pools`: a failing replica or pool is ejected, a canary is stopped, or one of these serves again. `incidents`: any incident of docs/incidents.md opens, or has been over for a minute on all gateways.
   *
   * @minItems 1
   */
  on?: ('expiring_keys' | 'freezes' | 'ejected_pools' | 'incidents')[]
  /**
   * Targets, by their names in `notice_targets`.
   *
   * @minItems 1
   * @maxItems 32
   */
  to: string[]
}
/**
 * Where notices go, by name: a webhook, a channel of Slack, or mail.
 */
export interface NoticeTargets {
  [k: string]: NoticeTargetSection
}
/**
 * One target: `webhook` and `secret`, or `slack`, or `smtp`, `from` and `to`.
 */
export interface NoticeTargetSection {
  /**
   * A URL that gets each notice as JSON by POST, signed as Standard Webhooks has it. It must answer 2xx within 10 s; redirects are not followed. A notice that is delivered again has the same `webhook-id`.
   */
  webhook?: string
  /**
   * The secret that signs the notices of `webhook`: `${VARIABLE}`, or `file:PATH` relative to this file. `whsec_` and 24 to 64 bytes in base64. A reload reads the file again.
   */
  secret?: string
  /**
   * The URL of an incoming webhook of Slack, or of a program that takes the same: `${VARIABLE}`, or `file:PATH` relative to this file, since who has the URL may post.
   */
  slack?: string
  /**
   * A server that takes mail: `smtps://[user@]host[:port]` with TLS from the start, port 465 by default; or `smtp://[user@]host[:port]` with STARTTLS, port 587 by default, which is required unless the host is this machine.
   */
  smtp?: string
  /**
   * The password of the user at `smtp`: `${VARIABLE}`, or `file:PATH` relative to this file. A reload reads the file again.
   */
  password?: string
  /**
   * The sender of mail.
   */
  from?: string
  /**
   * Who gets the mail.
   *
   * @minItems 1
   * @maxItems 20
   */
  to?: MailAddress[]
  /**
   * How long notices for Slack or mail are gathered for one message; `0s` sends a message for each.
   */
  digest?: string
}
/**
 * Notices that customers send themselves: people who sign in choose their percentages, a mail address that they confirm, and a webhook at `/v1/account/notices`. They are notified about limits of their own account, its keys and its users. At least one of `mail` and `webhooks`.
 */
export interface CustomerNoticesSection {
  /**
   * The percentages that customers choose from; without a choice, all apply.
   *
   * @minItems 1
   * @maxItems 10
   */
  at: string[]
  /**
   * A target of `notice_targets` with `smtp`: customers get mail by its server, from its sender. Without it, they get no mail.
   */
  mail?: string
  /**
   * Whether customers may have the gateway post to webhooks: https on port 443 of a public address, without redirects.
   */
  webhooks?: boolean
}
/**
 * Plans by slug: which models an account may use, how fast, and for how much.
 */
export interface Plans {
  [k: string]: PlanSection
}
/**
 * A plan: the models that it includes and its limits. A limit belongs to the account (or the guest device), not to the key, unless its `of` says otherwise.
 */
export interface PlanSection {
  /**
   * A list of model names and `tier:NAME` entries, or the word `all`.
   *
   * @minItems 1
   */
  models: string[] | string
  /**
   * The hosted tools that requests may list: their names, or the word `all`. Default: none.
   *
   * @minItems 1
   */
  tools?: string[] | string
  /**
   * Requests in any 60 seconds.
   */
  rpm: number | string
  /**
   * Prompt and completion tokens in any 60 seconds.
   */
  tpm: number | string
  /**
   * Requests per day of `zone`, which is UTC by default. Default: no daily limit.
   */
  per_day?: number | string
  /**
   * Concurrent requests. Default: no limit.
   */
  max_concurrent?: number | string
  /**
   * US dollars per month of `zone` and `fiscal_month_starts`, by default a calendar month (UTC), at the models' prices.
   */
  monthly_usd: number | string
  /**
   * Limits of any measure, window and scope, one per row, such as `{ tokens: 2M, per: day, model: svc-ultra-pro }`. All of them apply.
   *
   * @minItems 1
   * @maxItems 64
   */
  limits?: LimitRuleSection[]
  overage?: OverageSection
  /**
   * In the `queue` of a pool, requests of a plan with a higher priority go first: 0 to 100. Default: 1, and 0 for guests.
   */
  priority?: number | string
  /**
   * In the `queue` of a pool, an account gets tokens in proportion to the weight of its plan, beside the others of its priority: 1 to 1000.
   */
  weight?: number | string
  /**
   * When a streamed answer starts to reach the client: with its first content (`first_content`), or once it is complete (`complete`), so that even a backend that fails midway goes unnoticed. Overrides the model's setting.
   */
  commit?: 'first_content' | 'complete'
}
/**
 * The names that clients use. They stay the same when the backends behind them change.
 */
export interface Models {
  [k: string]: ModelSection
}
/**
 * A model that answers chats.
 */
export interface ChatModelSection {
  /**
   * The kind of the model: `chat`, `embedding`, `image` or `passthrough`.
   */
  kind: 'chat'
  /**
   * A group that plans include as `tier:NAME`.
   */
  tier: string
  serve: Serve
  /**
   * Tokens of prompt and completion together, such as `128k` (128,000).
   */
  context: number | string
  /**
   * Completion tokens that are reserved, and sent as the cap, when the client sets none. If this field is set, a larger cap from a client is lowered to it, and x-svc-max-tokens reports that.
   */
  max_output?: number | string
  /**
   * Whether messages may contain images.
   */
  vision?: boolean
  /**
   * Prompt tokens reserved for each image. Only with `vision: true`.
   */
  image_tokens?: number | string
  thinking?: ThinkingSection
  accepts?: Accepts
  usd_per_1m: ChatPriceSection
  /**
   * When a streamed answer starts to reach the client: with its first content (`first_content`), or once it is complete (`complete`), so that even a backend that fails midway goes unnoticed.
   */
  commit?: 'first_content' | 'complete'
  mirror?: MirrorSection
  /**
   * Whether a request may lose tools or fields when it is translated for a pool that does not speak the client's dialect: `allow` drops them and names them in a header, `refuse` skips such pools.
   */
  lossy?: 'allow' | 'refuse'
}
/**
 * Compares the pool with another one of the model, and drains it if it is worse. `svcctl pools undrain` starts it again with new counts.
 */
export interface CanarySection {
  stop_when: StopWhenSection
}
/**
 * When the pool is drained: one of `errors_over` and `first_token_p95_over` is enough. The newest `after` requests of each side are compared.
 */
export interface StopWhenSection {
  /**
   * How far the pool's error rate may exceed that of `against`, in percentage points: with `2%`, the pool may fail 3 % of its requests while `against` fails 1 %.
   */
  errors_over?: number | string
  /**
   * The highest allowed ratio of the pool's p95 time to first token to that of `against`. Only for chats.
   */
  first_token_p95_over?: string
  /**
   * A name: letters, digits, dots, dashes and underscores, at most 64.
   */
  against: string
  /**
   * The number of requests that each side must have served before the two are compared. Only that many of the newest requests count. Times to first token are compared once each side has served that many streams.
   */
  after?: number | string
}
/**
 * For models that think before they answer.
 */
export interface ThinkingSection {
  /**
   * Whether the model thinks if the request does not say.
   */
  default: boolean
  /**
   * The smallest max_tokens that a client may request while the model thinks.
   */
  min_max_tokens: number | string
}
/**
 * Additional request fields, and their allowed values. Requests for the model may send them in any dialect, and its backends receive them. A field that no model declares is refused in chats, embeddings and images; in Responses and Messages it is an unknown member. Extra fields never change the price of a request, so declare only what the price covers.
 */
export interface Accepts {
  [k: string]: AcceptedSection
}
/**
 * The allowed values of a field: one of max, one_of, max_length, boolean and max_size.
 */
export interface AcceptedSection {
  /**
   * A number, at most this.
   */
  max?: number
  /**
   * The minimum of the number. Only with max.
   */
  min?: number
  /**
   * One of these texts.
   *
   * @minItems 1
   */
  one_of?: string[]
  /**
   * A text of at most this many characters. It counts toward the prompt.
   */
  max_length?: number | string
  /**
   * A boolean. Always written as `true`.
   */
  boolean?: true
  /**
   * Any value of at most this many bytes of JSON. It counts toward the prompt, and its contents are not checked.
   */
  max_size?: number | string
}
/**
 * US dollars per million tokens. Clients pay the model's price, whichever pool answers.
 */
export interface ChatPriceSection {
  /**
   * US dollars per million prompt tokens.
   */
  input: number | string
  /**
   * US dollars per million completion tokens.
   */
  output: number | string
  /**
   * US dollars per million prompt tokens that the backend read from its cache. Default: the input price.
   */
  cached_input?: number | string
  cache_write?: CacheWriteSection
}
/**
 * Sends copies of a sample of the model's chats to another pool, for `svcctl pools compare`. A copy delays no client, is charged to no account, and gives way to live requests: it is skipped while the pool has no free slot or the gateway is short of memory. Requests with hosted tools are not copied.
 */
export interface MirrorSection {
  /**
   * A name: letters, digits, dots, dashes and underscores, at most 64.
   */
  to: string
  /**
   * The share of the model's conversations that is copied, such as `5%`, chosen by session, or else by the beginning of the chat.
   */
  sample: number | string
  /**
   * US dollars that all copies together may cost in any 24 hours, at `cost_usd_per_1m` of the pool, over all gateways on the store. Required if that pool declares `cost_usd_per_1m`; otherwise an error.
   */
  max_usd_per_day?: number | string
  /**
   * Whether requests that a pool of another `site` serves are copied as well: their prompts then leave that site.
   */
  across_sites?: boolean
}
/**
 * A model that turns texts into vectors.
 */
export interface EmbeddingModelSection {
  /**
   * The kind of the model: `chat`, `embedding`, `image` or `passthrough`.
   */
  kind: 'embedding'
  /**
   * A group that plans include as `tier:NAME`.
   */
  tier: string
  serve: Serve
  /**
   * Tokens of one input, such as `8k` (8,000).
   */
  context: number | string
  dimensions?: DimensionsSection
  /**
   * Whether `input` may be arrays of token ids. Enable it only if clients use the model's own tokenizer: ids of another one yield meaningless vectors, and no error.
   */
  token_ids?: boolean
  accepts?: Accepts
  usd_per_1m: EmbeddingPriceSection
}
/**
 * US dollars per million tokens. Only input is charged.
 */
export interface EmbeddingPriceSection {
  /**
   * US dollars per million input tokens.
   */
  input: number | string
}
/**
 * A model that generates images.
 */
export interface ImageModelSection {
  /**
   * The kind of the model: `chat`, `embedding`, `image` or `passthrough`.
   */
  kind: 'image'
  /**
   * A group that plans include as `tier:NAME`.
   */
  tier: string
  serve: Serve
  accepts?: Accepts
  /**
   * US dollars per image: one amount for every size in limits.image_sizes, or an amount for each size that the model makes, such as `{ 512x512: 0.01 }`.
   */
  usd_per_image:
    | number
    | string
    | {
        [k: string]: ImagePrice
      }
}
/**
 * A model behind pass-through routes, such as one for speech, transcription or ranking. The route sets the price of a request.
 */
export interface PassthroughModelSection {
  /**
   * The kind of the model: `chat`, `embedding`, `image` or `passthrough`.
   */
  kind: 'passthrough'
  /**
   * A group that plans include as `tier:NAME`.
   */
  tier: string
  serve: Serve
  usd_per_1m?: PassthroughPriceSection
}
/**
 * US dollars per million tokens, for routes whose meter is `usage`.
 */
export interface PassthroughPriceSection {
  /**
   * US dollars per million input tokens.
   */
  input: number | string
  /**
   * US dollars per million output tokens.
   */
  output?: number | string
  /**
   * US dollars per million input tokens that the backend read from its cache. Default: the input price.
   */
  cached_input?: number | string
  cache_write?: CacheWriteSection
}
/**
 * Generic names, each for one model. Only an alias, or a request without a model, can be upgraded by routing. An alias with a `*`, such as `claude-*`, matches any such name. Names of models and other aliases take precedence, and so does the more specific of two patterns.
 */
export interface Aliases {
  [k: string]: Name
}
/**
 * Groups of interchangeable backends, by name.
 */
export interface Pools {
  [k: string]: PoolSection
}
/**
 * A pool: interchangeable replicas, and how to call them.
 */
export interface PoolSection {
  /**
   * A name: letters, digits, dots, dashes and underscores, at most 64.
   */
  site: string
  /**
   * Base URLs of the backends, including the path up to /v1.
   *
   * @minItems 1
   */
  replicas: string[]
  /**
   * The backend's own name for the model.
   */
  model: string
  provider?: ProviderSection
  /**
   * The chat dialects of the replicas: `chat` (chat completions), `responses` (OpenAI's Responses), `messages` (Anthropic's Messages). A request goes unchanged to a pool that speaks its dialect, and is translated for any other. Only for pools of chat models.
   *
   * @minItems 1
   */
  speaks?: ('chat' | 'responses' | 'messages')[]
  /**
   * The field that caps the tokens of an answer: `max_tokens`, `max_completion_tokens`, or `both`. Default: the field in the `provider` profile of the model, such as `max_completion_tokens` for OpenAI and Azure, which refuse both together; else `max_tokens` for services, some of which refuse any other, and `both` for your own backends, which ignore one or the other. Only for pools that receive chat completions.
   */
  cap?: 'max_tokens' | 'max_completion_tokens' | 'both'
  /**
   * How whole answers are fetched from the replicas. `whole`: in one piece. `stream`: as a stream, so that tokens are counted as they arrive, the cap holds, and a backend stops at once when its client leaves. `long`: as a stream if more than 1,000 tokens are granted and the request has one choice and no tools, or if it has several choices and the backend reports the usage of one (`choices_usage` of the `provider`). The client receives the same whole answer. Default: `long` for your own backends and where `choices_usage` is `one`, else `whole`. Only for pools of chat models.
   */
  fetch?: 'whole' | 'long' | 'stream'
  /**
   * The backend's API key: `${VARIABLE}`, or `file:PATH` relative to the main configuration file (also in an included file).
   */
  key?: string
  auth?: AuthSection
  /**
   * Headers of every request to the pool, each a text, `${VARIABLE}`, or `file:PATH` relative to the main configuration file. A pool that speaks `messages` gets `anthropic-version: 2023-06-01` unless this sets another.
   */
  headers?: {
    [k: string]: string
  }
  /**
   * Query parameters of every URL of the pool, by name, such as `api-version` of Azure OpenAI.
   */
  query?: {
    [k: string]: string
  }
  /**
   * Beta features of Messages that clients may enable with the header `anthropic-beta` in requests that go to the pool untranslated. A trailing `*` matches any ending. Other features do not reach the pool. Only for pools that speak `messages`.
   *
   * @minItems 1
   */
  betas?: string[]
  /**
   * Tools that the provider runs itself and charges in addition to tokens, such as `web_search`, and that requests in the pool's own dialect may list. The operator pays for them: no client is billed. Other such tools are removed from requests; a request that cannot do without one is not sent to the pool in its own dialect. Only for pools that speak `responses` or `messages`, or serve a route with `upgrade`, whose sessions may use them.
   *
   * @minItems 1
   */
  provider_tools?: string[]
  /**
   * The treatment of members that the request's dialect does not define, at any depth, when the request goes to the pool untranslated. `drop` sends the request without them, and `x-svc-ignored-fields` of the answer names them. `refuse` answers 400 and names the first. Default: `drop` if the `provider` is a service or all replicas belong to one over https, such as api.openai.com; else `refuse`, since an engine trusts whoever reaches it. Only for pools that speak `responses` or `messages`. In a WebSocket session, an event with such a member is always refused.
   */
  unknown_fields?: 'drop' | 'refuse'
  /**
   * Members outside the dialect that a request may have when it goes to the pool untranslated, as paths from the top such as `top_k` or `input.content.uuid`, including everything below them. Their values are not bounded, but they count toward the prompt; `accepts` of a model bounds fields for all of its pools. `priority`, `cache_salt`, `kv_transfer_params`, `return_token_ids` and similar members never pass. Only for pools that speak `responses` or `messages`, or serve a route with `upgrade`.
   *
   * @minItems 1
   * @maxItems 64
   */
  passes?: string[]
  /**
   * Whether the pool receives http and https addresses of images, files, videos and sounds in requests of its own dialect, for its replicas to fetch. Leave it off for engines, because they fetch from inside your network. `data:` URLs always pass, and no other scheme does. Only for pools that speak `responses` or `messages`, or serve a route with `upgrade`.
   */
  fetches?: boolean
  /**
   * How chats are spread over the replicas: `prefix` sends each to the replica where it costs least, which is mostly the one that has the beginning of its prompt cached; `session` keeps a conversation at one replica, by the id that its client sends or else by its first message; `busy` takes the less busy of two, whatever they have cached. Without it: `prefix` where there is more than one replica, else `busy`. Requests other than chats always go to the less busy of two. Only for pools of chat models.
   */
  balance?: 'prefix' | 'session' | 'busy'
  /**
   * Who may find whose prompt in the caches of the replicas: each `account` for itself, the accounts of an `org` together (those without one for themselves), or all accounts of the `pool`. The gateway looks for cached prompts only within this scope. An engine that accepts `cache_salt`, according to the `provider`, separates its cache in the same way, so that the time to a first token does not reveal what others asked. A narrower scope finds fewer prompts: accounts that share a long system prompt find it only with `org` or `pool`. Writing `account` or `org` for backends without `cache_salt` is an error.
   */
  caches?: 'account' | 'org' | 'pool'
  /**
   * The time from dispatch until the connection is established.
   */
  connect_timeout?: string
  /**
   * For streams: the time from dispatch to the response headers.
   */
  headers_timeout?: string
  /**
   * For streams: the longest silence before the first content, including reasoning. A backend that has sent any byte within the last 15 s, such as a comment, gets longer, up to 600 s. Set 120s for a model that thinks silently; this is the default if the profile of the pool's `provider` says so.
   */
  first_content_timeout?: string
  /**
   * For streams: the longest silence between chunks.
   */
  idle_timeout?: string
  /**
   * For streams: the time from dispatch to the end.
   */
  stream_timeout?: string
  /**
   * For whole answers: the time from dispatch to the end of one attempt.
   */
  answer_timeout?: string
  /**
   * How long a request waits for room in a pool that has max_concurrent requests running, or max_concurrent_each at every replica.
   */
  queue_timeout?: string
  /**
   * The longest Retry-After of a 429 to wait out in the pool before trying the next one.
   */
  wait_for_retry_after?: string
  eject?: EjectSection
  probe?: ProbeSection
  load?: LoadSection
  spill?: SpillSection
  queue?: QueueSection
  shares?: SlotShares
  /**
   * Prompt and completion tokens that these replicas take, if different from the model. A prompt that is too long for one pool goes on to one that declares more.
   */
  context?: number | string
  /**
   * Concurrent requests in the pool, per gateway, or over all gateways with `max_concurrent_over: store`. A further request waits for `queue_timeout`, then goes to the next pool.
   */
  max_concurrent?: number | string
  /**
   * Whether `max_concurrent` applies to each `gateway` with its workers, or to all gateways on the `store` together. With `store`, a request without a slot asks the store for one, and `queue` is one fair order across all gateways. While the store is unreachable, each process keeps the slots it is using. The slots of a killed gateway count as used, and for the `shares` of their owners, until its lease in the store ends after 5 s. `max_concurrent_each` always applies to each gateway. Needs `max_concurrent`.
   */
  max_concurrent_over?: 'gateway' | 'store'
  /**
   * Requests running at one replica at once, of each gateway. A replica that has as many is passed over. While all replicas of the pool do, one more request waits for queue_timeout, then goes to the next pool.
   */
  max_concurrent_each?: number | string
  /**
   * How long a conversation stays at this pool after it was served here last, because a pool before it in `serve` was busy, full or down. Without `stay`, the next request goes back as soon as the earlier pool is usable again, which then computes the whole prompt. A pool that is busy or down keeps no conversation. Only for pools of chat models.
   */
  stay?: string
  cost_usd_per_1m?: PoolCostSection
  /**
   * The operator's cost for pools that generate images: US dollars per image.
   */
  cost_usd_per_image?: number | string
  /**
   * US dollars that the pool may cost in any hour, across all gateways on one store. Requests beyond it go to the next pool. Needs cost_usd_per_1m or cost_usd_per_image.
   */
  max_usd_per_hour?: number | string
}
/**
 * Reads the load of every replica from the metrics of its engine: requests running and waiting, the use of the KV cache, and when its process started. Metrics that cannot be read never eject a replica: after 3 s their figures no longer count, and after 30 s the gateway raises an alarm. One process of a gateway reads for all, with the key and the headers of the pool.
 */
export interface LoadSection {
  /**
   * The engine. SGLang has to run with `--enable-metrics`, llama.cpp with `--metrics`.
   */
  from: 'vllm' | 'sglang' | 'llamacpp' | 'tgi' | 'trtllm'
  /**
   * Where a replica serves its metrics: a path from the root of its host, or a port and a path where they have a port of their own, such as `:9400/metrics`. Without it: `/metrics`, and `/prometheus/metrics` for `trtllm`.
   */
  url?: string
  /**
   * Between two readings of a replica: 200ms to 2s. Each may take as long as 2s.
   */
  every?: string
}
/**
 * When a replica is passed over because it is behind with its work. A pool all of whose usable replicas are passed over is busy: the other pools of `serve` are tried first. No request is refused because of it: if the other pools fail, or there are none, the busy pool serves.
 */
export interface SpillSection {
  /**
   * Requests that wait at the engine, as it reported last: a replica with more is passed over. A report counts for 3 s. Needs `load`.
   */
  waiting_over?: number | string
  /**
   * A replica is passed over while more than a tenth of the streams that it was sent took longer to their first token, of at least 10 in the last 30 s. This gateway measures that itself, from dispatch; a stream that still waits counts once it has waited as long. Only for pools of chat models.
   */
  first_token_over?: string
}
/**
 * Where requests wait while the pool has `max_concurrent` requests running, instead of for `queue_timeout`. A request first goes to a later pool of `serve` that has room. The order is by `priority` of plans, and then fair among accounts: each gets tokens by the `weight` of its plan. Needs `max_concurrent`.
 */
export interface QueueSection {
  /**
   * Requests that wait, per process of a gateway. Further ones go to the next pool, or get 503 `UPSTREAMS_EXHAUSTED` if none is left.
   */
  max?: number | string
  /**
   * Requests of one account that wait. At most `max`; without it the default, or `max` where that is less.
   */
  of_account?: number | string
  /**
   * Bytes of the bodies of one account that wait. They count in `limits.body_memory` too, which bounds those of all accounts.
   */
  bytes?: number | string
  /**
   * How long a request waits before it goes to the next pool, or gets 503 `UPSTREAMS_EXHAUSTED` if none is left. It still counts in limits of requests.
   */
  timeout?: string
  /**
   * How long a request waits here before it goes to a later pool that has room. At most `timeout`.
   */
  before_next?: string
  /**
   * The next request of an account rises by one priority, up to the highest that waits, each time it has been the next for so long.
   */
  aging?: string
  /**
   * Whether a stream that waits begins after 5 s, with comments that say how many wait. This commits its status 200: where no pool serves it afterwards, the error is its last event.
   */
  comments?: boolean
}
/**
 * Guaranteed shares of `max_concurrent`, by owner: the accounts of an org (`org:research`) or those on a plan (`plan:product`). While an owner has requests waiting and holds fewer slots than its share, it gets the next free slot. Slots that an owner does not need are lent to all others, and return as the borrowing requests end. Shares add up to at most 100 % and are rounded to whole slots, at least one each; the remaining slots are open to everybody. A request that matches both an org and a plan counts only in the org's share. Needs `queue` and `max_concurrent`, and with `workers` also `max_concurrent_over: store`.
 */
export interface SlotShares {
  [k: string]: SlotShare
}
/**
 * The operator's cost for the pool, in US dollars per million tokens. It is not a client's price: it measures the cost of failed attempts, and the spend that max_usd_per_hour allows.
 */
export interface PoolCostSection {
  /**
   * US dollars per million prompt tokens.
   */
  input: number | string
  /**
   * US dollars per million completion tokens. Embeddings have none.
   */
  output?: number | string
  /**
   * US dollars per million prompt tokens that the backend read from its cache. Default: the input price.
   */
  cached_input?: number | string
  cache_write?: CacheWriteSection
}
/**
 * One route: when it applies, and which model it selects.
 */
export interface RouteSection {
  /**
   * A name: letters, digits, dots, dashes and underscores, at most 64.
   */
  name: string
  when: WhenSection
  /**
   * A name: letters, digits, dots, dashes and underscores, at most 64.
   */
  use: string
}
/**
 * Conditions on a request. All of them must hold; those under `not` must not.
 */
export interface WhenSection {
  /**
   * Words or phrases, at least one of which occurs in the last user message: whole words, in any case and script.
   *
   * @minItems 1
   * @maxItems 200
   */
  mentions?: string | string[]
  /**
   * A regular expression (RE2) to find in the last user message. `(?i)` ignores case.
   */
  matches?: string
  input_tokens?: TokensRangeSection
  /**
   * Whether the request lists tools.
   */
  has_tools?: boolean
  /**
   * Whether a message contains images.
   */
  has_images?: boolean
  plan?: Names
  alias?: AliasNames
  /**
   * Headers of the request, each with its required value, or several accepted ones.
   */
  header?: {
    /**
     * @minItems 1
     */
    [k: string]: string | string[]
  }
  hour?: HourSection
  weekday?: WeekdaySection
  /**
   * A list of conditions, at least one of which must hold.
   *
   * @minItems 1
   */
  any?: WhenSection[]
  not?: WhenSection
}
/**
 * The length of the prompt, in tokens of four bytes.
 */
export interface TokensRangeSection {
  /**
   * More than this many.
   */
  over?: number | string
  /**
   * Fewer than this many.
   */
  under?: number | string
}
/**
 * The hour of the day, `{ from: 22, to: 6, zone: Europe/Berlin }`: from one full hour until another.
 */
export interface HourSection {
  /**
   * 0 to 23.
   */
  from: number
  /**
   * 1 to 24.
   */
  to: number
  zone?: Zone
}
/**
 * The day of the week, `{ days: [sat, sun], zone: Europe/Berlin }`.
 */
export interface WeekdaySection {
  /**
   * mon, tue, wed, thu, fri, sat, sun.
   *
   * @minItems 1
   */
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  zone?: Zone
}
/**
 * Tools that run on the server when a request lists them, under the names that models use.
 */
export interface HostedTools {
  [k: string]: HostedToolSection
}
/**
 * A tool of an MCP server.
 */
export interface McpToolSection {
  /**
   * The URL of the MCP server. Instead of `http` or `builtin`.
   */
  mcp: string
  /**
   * The server's name for the tool. Default: the same name.
   */
  tool?: string
  /**
   * The transport of the server: `streamable_http`, or `sse` for an old one.
   */
  transport?: 'streamable_http' | 'sse'
  /**
   * The description that models read, instead of the server's own.
   */
  description?: string
  key?: ToolKey
  /**
   * How long one call may take.
   */
  timeout?: string
  max_calls?: MaxCalls
  max_result?: MaxResult
  usd_per_call?: UsdPerCall
}
/**
 * A tool behind a URL: the arguments are posted to it as JSON, and its answer is the result.
 */
export interface HttpToolSection {
  /**
   * The URL that receives the arguments by POST. Instead of `mcp` or `builtin`.
   */
  http: string
  /**
   * The description that models read: what the tool does, and when to call it.
   */
  description: string
  /**
   * The arguments, as a JSON Schema (2020-12) of `type: object`. References must stay within it, as `#/$defs/NAME`.
   */
  parameters: {
    [k: string]: unknown
  }
  key?: ToolKey
  /**
   * How long one call may take.
   */
  timeout?: string
  max_calls?: MaxCalls
  max_result?: MaxResult
  usd_per_call?: UsdPerCall
}
/**
 * A tool of the gateway itself.
 */
export interface BuiltinToolSection {
  /**
   * The name of the tool: `current_time` or `calculator`. Instead of `mcp` or `http`.
   */
  builtin: 'current_time' | 'calculator'
  /**
   * How long one call may take.
   */
  timeout?: string
  max_calls?: MaxCalls
  max_result?: MaxResult
  usd_per_call?: UsdPerCall
}
/**
 * A pass-through route: a path, its model, and how requests are charged.
 */
export interface PassthroughSection {
  /**
   * The path that clients call. The part after /v1 is appended unchanged to a replica's base URL. Queries are refused, except for the model of a WebSocket.
   */
  path: string
  /**
   * The methods of its requests: `POST`, or `GET`, which has no body. Other methods get 405.
   *
   * @minItems 1
   */
  methods: ('POST' | 'GET')[]
  /**
   * A name: letters, digits, dots, dashes and underscores, at most 64.
   */
  model: string
  /**
   * The accepted bodies, by content type. `json` is read whole, has its `model` rewritten, and can be retried on the next replica or pool. `multipart` (multipart/form-data) is streamed once, with `model` set to the pool's own name. `binary` (application/octet-stream, audio, image and video) is streamed unchanged, once.
   *
   * @minItems 1
   */
  accepts?: ('json' | 'multipart' | 'binary')[]
  /**
   * The largest streamed body. Larger ones get 413. A body that takes longer than limits.request_timeout gets 408 once it averages less than 8 KB/s, or brings nothing for limits.idle_timeout. JSON is read whole, and bounded by limits.body. Default: limits.body.
   */
  max_body?: number | string
  /**
   * `websocket`: clients open a WebSocket with GET. It is admitted like a request, goes to one backend, and occupies one of `max_concurrent` until it closes. Clients may name the model in the query: `?model=`.
   */
  upgrade?: 'websocket'
  /**
   * How long a WebSocket may stay open before it is closed with 1008. A meter with max_seconds closes it earlier. Only with `upgrade`.
   */
  max_session?: string
  /**
   * How long a WebSocket may stay open without a message in either direction before it is closed with 1008. Pings do not count. Only with `upgrade`.
   */
  idle_timeout?: string
  /**
   * The largest WebSocket message in either direction. A larger one closes the socket with 1009. Each socket may buffer a few messages of this size. Only with `upgrade`.
   */
  max_message?: number | string
  meter: MeterSection
}
/**
 * How a request is charged: one of usd_per_call, usd_per_second, usd_per_mb and usage.
 */
export interface MeterSection {
  /**
   * US dollars per answer or WebSocket, with at most 9 decimals. Charged once the backend starts to answer.
   */
  usd_per_call?: number | string
  /**
   * US dollars per second of the backend's time, from dispatch to the end of its answer or WebSocket, measured in milliseconds. Needs max_seconds.
   */
  usd_per_second?: number | string
  /**
   * The seconds to reserve. A request that takes longer is ended.
   */
  max_seconds?: number | string
  /**
   * US dollars per 1,000,000 bytes of request and answer body, or of WebSocket messages, measured in bytes. Needs max_mb.
   */
  usd_per_mb?: number | string
  /**
   * The megabytes to reserve. A request that exceeds them is ended.
   */
  max_mb?: number | string
  usage?: MeterUsageSection
}
/**
 * Charges the tokens in the answer's `usage`, at the model's usd_per_1m. JSON is read whole before it is passed on. Events of chat completions, Responses and Messages (text/event-stream) are read as they pass, and so are the `response.done` events of a WebSocket, whose every response reserves the same amount again.
 */
export interface MeterUsageSection {
  /**
   * Input tokens to reserve per request, of the quota and of the minute.
   */
  max_input: number | string
  /**
   * Output tokens to reserve per request, of the quota and of the minute.
   */
  max_output?: number | string
}
