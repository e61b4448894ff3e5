// Generated from schema/config.schema.json by scripts/generate.js. Do not edit.

/**
 * Asks every replica for a path, also while no client does. Two failures in a row eject a replica; a success lets one that was ejected back in once its time is over. `true` for the defaults, or what failover says of path and every; `false` for none.
 */
export type ProbeSection =
  | boolean
  | {
      /**
       * From the root of the host. Any answer of 200 to 299 is a success.
       */
      path?: string
      /**
       * Between two probes of a replica: at least 1s. Each may take as long, and at most 5s.
       */
      every?: string
    }
/**
 * Whether the plan serves past monthly_usd: `false`, `true`, or up to `{ cap_usd: 100 }` beyond it.
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
 * A model as clients know it: what it costs, what it can do, and who answers.
 */
export type ModelSection = ChatModelSection | EmbeddingModelSection | ImageModelSection | PassthroughModelSection
/**
 * The pools that answer, in failover order.
 *
 * @minItems 1
 *
 * Items: A name: letters, digits, dots, dashes and underscores, at most 64.
 */
export type Serve = string[]
/**
 * US dollars for a million input tokens that the backend wrote into its cache: one price, or `{ 5m: 3.75, 1h: 6 }` by how long it keeps them, as Anthropic does. Without it: as input; where a request marks its prompt for a cache of Messages, 1.25 times the input, and twice the input for an hour.
 */
export type CacheWriteSection =
  | number
  | string
  | {
      /**
       * The price of tokens that are kept for five minutes, or as long as the backend likes.
       */
      '5m': number | string
      /**
       * The price of tokens that are kept for an hour.
       */
      '1h': number | string
    }
/**
 * Numbers of one vector: 768, or `{ native: 768, any: true }` where the backends also make vectors of the size that a request names in `dimensions`.
 */
export type DimensionsSection =
  | number
  | {
      /**
       * Numbers of a vector whose request names no size. Always 768.
       */
      native?: 768
      /**
       * Whether `dimensions` of a request may be another number: its backends get it, and their vectors must have as many.
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
 * The alias or model used when a request names no model. Without it: `svc-core`, which has to be declared then.
 */
export type DefaultModel = string
/**
 * Who runs the replicas: the name of a provider or an engine, whose profile (docs/providers.md) says which fields it takes, under which name it is told the cap of an answer, and how its answers end; or an object with that name as `is` and facts in its place. Without it: the provider whose host all addresses have, such as api.openai.com, or else none, which changes nothing.
 */
export type ProviderSection =
  | string
  | {
      /**
       * The name of the provider or engine. Without it: as without `provider`.
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
       * Fields of chats that the replicas are not sent, beside those of the profile; `x-svc-ignored-fields` of the answer names them. `encoding_format` is one of embeddings: their vectors are then asked for as numbers, and converted for clients that want base64.
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
       * Whether the replicas know the role `developer`. If not, such messages are sent as `system`.
       */
      developer_role?: boolean
      /**
       * Whether the replicas take `stream_options`. If not, they are not asked for the usage of streams, and have to report it unasked; clients of a stream without it are charged by an estimate.
       */
      stream_options?: boolean
      /**
       * Whether a stream without any finish reason is broken (`required`), or whole once `[DONE]` came (`optional`).
       */
      finish_reason?: 'required' | 'optional'
      /**
       * The ids of tool calls that the replicas take: `any`, or `nine_alphanumeric`, as Mistral's tokenizer does. Ids of another form, which other models made, are replaced by ids of this form.
       */
      call_ids?: 'any' | 'nine_alphanumeric'
      /**
       * Whether the replicas know `cache_control` of messages, parts and tools in chats. If not, chats go without these marks, and `x-svc-ignored-fields` says so.
       */
      cache_marks?: boolean
      /**
       * Whether the replicas take `cache_salt`, which keeps the cached prompts of one account, or of one org, from all others, as `caches` of the pool says.
       */
      cache_salt?: boolean
      /**
       * Whether the usage of a whole answer with several choices (`n`) counts `all` of them, or `one`. With `one`, such answers are fetched as streams, so that every choice is counted, unless `fetch: whole` of the pool forbids it.
       */
      choices_usage?: 'all' | 'one'
      /**
       * Where the replicas take the thoughts of earlier answers: in the `member` of a message in which an answer had them, such as `reasoning_content`, or as `parts` of its content with the type `thinking`, as Mistral does. Clients send them back as they got them; with `parts`, they are moved.
       */
      thoughts?: 'member' | 'parts'
    }
/**
 * How the key is sent: `bearer` (`authorization: Bearer KEY`), `x-api-key` (Anthropic), `api-key` (Azure OpenAI), or `{ header: NAME, prefix: TEXT }` for any other header. Without it: `bearer`; for a pool that speaks `messages` alone `x-api-key`.
 */
export type AuthSection =
  | string
  | {
      /**
       * The header that has the key.
       */
      header: string
      /**
       * The text before the key in it, such as `Token `.
       */
      prefix?: string
    }
/**
 * The plan of the caller: a name, or several.
 *
 * @minItems 1
 */
export type Names = string | string[]
/**
 * The alias the request came by: a name, or several.
 *
 * @minItems 1
 */
export type AliasNames = string | string[]
/**
 * A time zone, such as `Europe/Berlin`.
 */
export type Zone = string
/**
 * Smart routing, in one file: the first route that applies upgrades a request that names an alias or no model. A model that was named itself is never changed, and a route whose model the plan lacks is skipped.
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
 * The most bytes of a result that a model is given, `256B` to `1MB`. The rest is cut off.
 */
export type MaxResult = number | string
/**
 * US dollars for one call, whatever comes of it, to at most 9 decimals.
 */
export type UsdPerCall = number | string
/**
 * Pass-through routes: paths below /v1 whose requests go to the pools of one model each, admitted, paid and recorded like any other. A path is declared once.
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
   * Makes the key prefix (`svc_`) and the header prefix (`x-svc-`). Lower-case letters and digits. Changing it invalidates every key.
   */
  brand?: string
  server?: ServerSection
  /**
   * Where keys, counters and the ledger are kept: `embedded:PATH`, a directory that one process owns, or `redis://[user:password@]host[:port][/db]`, which many may share; `redis+sentinel://[user:password@]host[:port],host[:port]/name[/db]`, where sentinels know the primary; `redis+cluster://[user:password@]host[:port],host[:port]`, some nodes of a cluster; `rediss` with TLS. A password comes from a `${VARIABLE}`.
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
 * The two listeners and the addresses the outside knows.
 */
export interface ServerSection {
  /**
   * Where clients connect, as `host:port`.
   */
  listen?: string
  /**
   * The address clients call, as they see it. Default: http:// and the listen address.
   */
  public_url?: string
  /**
   * Where svcctl, metrics and health checks connect, as `host:port`. Never expose it.
   */
  admin?: string
  /**
   * The admin token, which operators and the other gateways on the store send as bearer: `${VARIABLE}`, or `file:PATH` relative to this file. At least 16 characters. A reload reads the file again: the token in it is then the only one. Whether the files have one changes with a restart alone. Without it: SVCCTL_TOKEN where that is set; else the gateway makes one at each start. Either way it stands in state_dir/admin.token.
   */
  admin_token?: string
  /**
   * The address under which operators open the console of the admin listener, where that is not its own address: behind a proxy, or by a name. Browsers reach the console under this name, an address or localhost alone.
   */
  admin_url?: string
  /**
   * The address under which the other gateways on the store reach the admin listener of this one, such as `http://${POD_IP}:9090`. Without it that is the address where it listens, or the name of the machine where it listens on all.
   */
  fleet_url?: string
  admin_tls?: AdminTlsSection
  /**
   * How many processes serve clients: `auto` for as many as the machine has cores for, or a number to 64. With 1 one process does all. More serve more requests where there are four cores or more; `auto` is 1 below that.
   */
  workers?: number | string
  /**
   * How many gateways share the store. An embedded store belongs to one.
   */
  instances?: number | string
  /**
   * A directory for what the process itself keeps, such as the operator's token.
   */
  state_dir?: string
  /**
   * Where people manage their keys. Errors link to it; without it they link to the page of errors. Default: the console of the gateway, public_url and /console, where identity.console_client_id lets people sign in to it. Another address takes its place.
   */
  console_url?: string
  /**
   * Whether the gateway serves its web console: at /console of the listener for clients, and for operators at /console of the admin listener.
   */
  console?: boolean
  /**
   * Where people ask the operator for more, as the web console shows it. Without it: the console names the operator without a link.
   */
  contact?: string
  /**
   * Addresses and networks of proxies whose X-Forwarded-For is believed, such as `10.0.0.0/8` or `::1`. Without it: no proxy's.
   */
  trusted_proxies?: string[]
  /**
   * Variables of the environment that files which come over the network (`svcctl apply`) may name as secrets, such as the key of a new pool. Those that serve already may be named without. Only what this list says on the disk of the gateway counts.
   */
  variables?: string[]
  /**
   * After SIGTERM: how long requests are still taken while /readyz says 503, so that a balancer notices first.
   */
  drain_delay?: string
  /**
   * After that: how long running requests and streams may go on. Streams that last longer end with an error event; WebSockets are closed at its beginning.
   */
  drain_timeout?: string
}
/**
 * TLS of the admin listener. A reload reads the files again, and takes a certificate for the connections that begin; one that is broken is refused, and the one before serves on. Whether there is TLS changes with a restart alone.
 */
export interface AdminTlsSection {
  /**
   * The certificate of the listener, as PEM, with those that signed it behind: `file:PATH` relative to this file, or `${VARIABLE}`.
   */
  certificate: string
  /**
   * The private key of `certificate`, as PEM.
   */
  key: string
  /**
   * Certificates, as PEM, that those of operators must be signed by. With it operators need one, and its name (CN) is theirs: no token and no sign-in lets in without. Probes of health, and who has metrics.token, need none.
   */
  client_ca?: string
  /**
   * Certificates, as PEM, that sign the admin listeners of the other gateways on the store, beside well-known authorities. Without it: certificate, which gateways may share.
   */
  fleet_ca?: string
  /**
   * The certificate, as PEM, that this gateway shows to others whose files have client_ca: that signs it, and its name (CN) is one of their admins. Without it: certificate.
   */
  fleet_certificate?: string
  /**
   * The private key of fleet_certificate, as PEM.
   */
  fleet_key?: string
  /**
   * Names in certificates of operators who may do everything.
   */
  admins?: string[]
  /**
   * Names in certificates of operators for customers: they read, grant credit, and mint, rotate and revoke keys.
   */
  support?: string[]
  /**
   * Names in certificates of operators who read, and change nothing.
   */
  viewers?: string[]
}
/**
 * How a store in Redis is reached, beside its `store` line: passwords and certificates may change by a reload, while requests are served.
 */
export interface RedisSection {
  /**
   * The password of the user that `store` names, or of the default user, instead of one in `store`: `${VARIABLE}`, or `file:PATH` relative to this file. A reload reads the file again and proves the password before it takes the place of the one before.
   */
  password?: string
  /**
   * The password of the sentinels in `store`, where they ask for one. `user:password` in `store` and `password` are those of the primary.
   */
  sentinel_password?: string
  /**
   * Certificates that the server's must be signed by, as PEM, instead of those that this machine trusts. With `rediss://`.
   */
  ca?: string
  /**
   * The certificate of this client, as PEM, where the server asks for one (`tls-auth-clients yes`, which is its default). With `rediss://` and `key`.
   */
  certificate?: string
  /**
   * The private key of `certificate`, as PEM.
   */
  key?: string
  /**
   * How long Redis may be silent before it counts as down and requests get 503. Time in which this process had no CPU does not count, and an answer to any call begins it anew: a call waits for twice as long at most. A connection that is refused or reset is down at once. Changes with a restart alone.
   */
  answer_timeout?: string
}
/**
 * The rows that are written for every request: who, which model, tokens and cost.
 */
export interface LedgerSection {
  /**
   * How long rows are kept, at least `1d`. What they add up to by day, account, plan and model is kept for ever.
   */
  keep?: string
  archive?: ArchiveSection
}
/**
 * Where rows go from the store, so that its memory or disk need not hold them: a row leaves the store only once the archive has it. Without it rows are removed after `ledger.keep`; with it that is how long they wait for an archive that does not answer.
 */
export interface ArchiveSection {
  /**
   * `postgres://user@host[:port]/database`, a table that commands and endpoints read together with the store, with TLS unless `?sslmode=disable` is behind it or the host is this machine; `file:DIRECTORY`, compressed NDJSON, a file a day; or `https://host/path`, which takes NDJSON by POST.
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
   * Certificates that the one of PostgreSQL must be signed by, as PEM, instead of those that this machine trusts.
   */
  ca?: string
  /**
   * The certificate of this client, as PEM, where PostgreSQL asks for one. With `key`.
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
 * The decision log: a JSON line for every request that was decided, with what it was decided on and what came of it. No prompts, no keys. `svcctl explain --request` and `svcctl replay` read it.
 */
export interface DecisionsSection {
  /**
   * Whether decisions are written down.
   */
  log?: boolean
  /**
   * The directory of the files, of which each gateway needs its own. Default: decisions in server.state_dir.
   */
  path?: string
  /**
   * No file grows beyond this; then comes the next. At least 1MB.
   */
  max_size?: string | number
  /**
   * How many files are kept: the oldest goes when another one begins.
   */
  files?: number | string
}
/**
 * The output of the process: a line for each request on stdout, alarms on stderr. No line has prompts, answers or keys.
 */
export interface LogSection {
  /**
   * `text` for people, or `json`: an object on each line. The demo speaks to people in any case.
   */
  format?: 'text' | 'json'
  /**
   * The least that is printed. `info`: every request. `warn`: alarms, and requests that the gateway or its backends failed. `error`: alarms with a fault behind them.
   */
  level?: 'info' | 'warn' | 'error'
}
/**
 * Who may read /metrics on the admin listener, beside operators.
 */
export interface MetricsSection {
  /**
   * Whether everyone who reaches the admin listener may read them.
   */
  public?: boolean
  /**
   * A bearer token that reads /metrics and nothing else, for what scrapes them: `${VARIABLE}`, or `file:PATH` relative to this file. At least 16 characters.
   */
  token?: string
  otlp?: MetricsOtlpSection
}
/**
 * Where what /metrics shows is sent besides: to a collector, by OTLP over HTTP. Without it: nowhere.
 */
export interface MetricsOtlpSection {
  /**
   * The collector; metrics go to /v1/metrics below it, as JSON.
   */
  endpoint: string
  /**
   * How long from one sending to the next.
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
   * Its value, in which blanks may stand: `${VARIABLE}`, or `file:PATH` relative to this file.
   */
  secret: string
}
/**
 * Where spans of requests, and of attempts at backends, are sent: by OTLP over HTTP. Prompts, answers and keys are in none. Without it: nowhere.
 */
export interface TracesSection {
  /**
   * The collector; spans go to /v1/traces below it, as JSON.
   */
  endpoint: string
  /**
   * The share of requests that is traced, chosen by their trace ids.
   */
  sample?: number | string
  /**
   * Headers that the collector requires.
   */
  headers?: TraceHeader[]
}
/**
 * Where people sign in: an OIDC provider whose access tokens are accepted. Without it: only operators mint keys.
 */
export interface IdentitySection {
  /**
   * The `iss` of its tokens, compared to the letter; its discovery document is read below it. https, or http on loopback. Tokens must be for server.public_url. Without it people do not sign in: only the services of issuers have tokens.
   */
  issuer?: string
  /**
   * The claim of a token that names the plan of its account. Without it: no token does.
   */
  plan_claim?: string
  /**
   * The claim of a token that people know its account by, such as `email`. Without it: accounts are shown by their ids.
   */
  label_claim?: string
  /**
   * The plan of an account where neither an operator nor its token says another.
   */
  default_plan: string
  /**
   * The `typ` of tokens that are accepted. ID tokens are refused whatever it says.
   *
   * @minItems 1
   */
  token_types?: string[]
  /**
   * Accounts that may do all that operators may, once they signed in, by their ids.
   */
  admins?: string[]
  /**
   * Accounts that are operators for customers: they read all that operators may, grant credit, and mint, rotate and revoke keys.
   */
  support?: string[]
  /**
   * Accounts that are operators who read, and change nothing.
   */
  viewers?: string[]
  /**
   * Other issuers of OIDC, whose tokens services present in place of a key: Kubernetes, a CI. Such a token is good for requests of clients, manages no keys, and is never an operator's.
   *
   * @minItems 1
   * @maxItems 20
   */
  issuers?: ServiceIssuerSection[]
  /**
   * The public client that `svcctl login` is at the provider.
   */
  client_id?: string
  /**
   * The public client that the web console is at the provider: authorization code with PKCE, redirect to console_url and /callback, and its origin allowed at the token endpoint (CORS). Without it the console has no sign-in.
   */
  console_client_id?: string
}
/**
 * An issuer of tokens of services, and the accounts of those.
 */
export interface ServiceIssuerSection {
  /**
   * The `iss` of its tokens, compared to the letter; its discovery document is read below it. https, or http on loopback. Another one than `identity.issuer`.
   */
  issuer: string
  /**
   * The audience that the `aud` of its tokens must contain, to the letter. Default: server.public_url.
   */
  audience?: string
  /**
   * Which tokens have an account, and on which plan. The first entry whose claims a token has is its own; a token that fits none is refused.
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
   * Tells its accounts from those of other entries. Under another name they are other accounts, which have used nothing.
   */
  name: string
  /**
   * Claims that a token must have, each with its text, or one of several. A `*` at the end stands for any text: write the sign before it too, since `acme*` is `acme-evil` as well.
   */
  claims: {
    /**
     * @minItems 1
     */
    [k: string]: string | string[]
  }
  /**
   * The claim whose value is the account, and which operators see as their label, such as `repository`.
   */
  account_claim?: string
  /**
   * The plan of these accounts, with its limits, unless an operator puts one of them on another.
   */
  plan: string
  /**
   * Limits of each of these accounts, in place of those of the plan that count the same, or beside them: rows as in `plans.limits`, of the account or of its users. They go with the plan: an account that an operator puts on another has those of that alone.
   *
   * @minItems 1
   * @maxItems 16
   */
  limits?: LimitRuleSection[]
}
/**
 * A limit: one of requests, tokens, input_tokens, output_tokens, images, seconds, usd and concurrent, and the window that it is counted in.
 */
export interface LimitRuleSection {
  /**
   * Requests. One counts when it is admitted, whatever becomes of it.
   */
  requests?: number | string
  /**
   * Prompt and completion tokens.
   */
  tokens?: number | string
  /**
   * Tokens of prompts, and of inputs of embeddings.
   */
  input_tokens?: number | string
  /**
   * Completion tokens.
   */
  output_tokens?: number | string
  /**
   * Images that were made.
   */
  images?: number | string
  /**
   * Seconds of a backend's time, of pass-through routes that are paid by the second.
   */
  seconds?: number | string
  /**
   * US dollars, at the prices of the models.
   */
  usd?: number | string
  /**
   * Requests running at once. It has no `per`.
   */
  concurrent?: number | string
  /**
   * The window. `second`, `hour`, `day`, `week` and `month` begin and end by the clock, UTC, weeks on Monday; `minute`, and days such as `30d`, are the last 60 seconds or 30 days, whenever they are looked at.
   */
  per?: string
  /**
   * Who shares the limit: each account (`account`), each key (`key`), each end user that requests of an account name in `user` (`user`), all accounts on the plan (`plan`), all accounts of an organization (`org`), or all requests of the gateway (`everybody`).
   */
  of?: 'account' | 'key' | 'user' | 'plan' | 'org' | 'everybody'
  /**
   * The model, or the models of a tier as `tier:NAME`, whose requests are counted. Without it: all.
   */
  model?: string
}
/**
 * Keys for devices without an account: one for each, and the same one whenever it asks. Without it: there are none.
 */
export interface GuestsSection {
  /**
   * The plan of every device. It may include models of the tier `guest` only, and no token can claim it.
   */
  plan: string
  /**
   * New devices from one address in an hour.
   */
  mint_per_ip_hour?: number | string
  /**
   * New devices from one network (/64 of IPv6, /24 of IPv4) in an hour. Default: ten times mint_per_ip_hour.
   */
  mint_per_net_hour?: number | string
  /**
   * US dollars that all guests together may spend in a UTC day.
   */
  usd_per_day_total: number | string
  /**
   * The secret from which keys of devices are derived, at least 32 characters: `${VARIABLE}`, or `file:PATH` relative to this file. Without it: SVC_GUEST_SECRET where that is set; else a gateway with an embedded store makes one in state_dir.
   */
  secret?: string
  /**
   * The secret before this one, while devices that have keys of it may ask for them again.
   */
  former_secret?: string
}
/**
 * Keeps what clients send to and get from `POST /v1/responses`, encrypted, so that `previous_response_id`, `item_reference` and `store: true` work. Without it: nothing of a prompt or an answer is kept.
 */
export interface ResponsesSection {
  /**
   * How long a response is kept after its end, from `1m` to `30d`. A change of it holds for the responses that are kept from then on.
   */
  keep: string
  /**
   * The key that encrypts responses: 32 random bytes in base64 or hex (`openssl rand -base64 32`), as `${VARIABLE}`, or `file:PATH` relative to this file. Gateways that share a store need the same one.
   */
  key: string
  /**
   * The key before this one, while there are responses that were encrypted with it.
   */
  former_key?: string
  /**
   * The room for the responses of one account in the store, at least `64KB`; beyond it the oldest are deleted.
   */
  max_bytes_per_account?: number | string
  /**
   * How many responses of one account are kept, at most `10k`; beyond it the oldest are deleted.
   */
  max_responses_per_account?: number | string
  /**
   * The room for the responses of all accounts together in the store, at least `64KB`. Once it is full, further responses are answered and not kept. Set it below the memory of Redis, or the disk, that is free for them.
   */
  max_bytes_total?: number | string
  /**
   * Whether responses of guests are kept too. Their keys cost nothing, so that any number of them could fill `max_bytes_total`.
   */
  guests?: boolean
}
/**
 * How long to wait for backends, and when to eject a replica. A pool may override any of these.
 */
export interface FailoverSection {
  /**
   * From dispatch until the connection stands.
   */
  connect_timeout?: string
  /**
   * Streams: from dispatch to the response headers.
   */
  headers_timeout?: string
  /**
   * Streams: the longest silence before the first content, which reasoning is. A backend that sent any byte within the last 15 s, such as a comment, is waited for longer, up to 600 s. For a model that thinks in silence 120s, which it is without it where the profile of the pool's `provider` says so.
   */
  first_content_timeout?: string
  /**
   * Streams: the longest silence between chunks.
   */
  idle_timeout?: string
  /**
   * Streams: from dispatch to the end.
   */
  stream_timeout?: string
  /**
   * Whole answers: from dispatch to the end of one attempt.
   */
  answer_timeout?: string
  /**
   * How long a request waits for room in a pool that has max_concurrent requests running, or max_concurrent_each at every replica.
   */
  queue_timeout?: string
  /**
   * The longest Retry-After of a 429 that is waited out in the pool, before the next pool is tried.
   */
  wait_for_retry_after?: string
  eject?: EjectSection
  probe?: ProbeSection
}
/**
 * When a failing replica is ejected, so that no request is sent to it, and for how long. Half of at least 20 requests in 10 s failing does the same.
 */
export interface EjectSection {
  /**
   * Consecutive failures.
   */
  after?: number | string
  /**
   * How long a replica is ejected the first time; the second time in a row twice as long, and so on up to 60s.
   */
  for?: string
}
/**
 * Bounds that no request may exceed.
 */
export interface LimitsSection {
  /**
   * The largest request body, such as `10MB` (1 MB is 1,000,000 bytes). A larger one is answered with 413.
   */
  body?: number | string
  /**
   * The most memory that bodies of all running requests may take together, until their answers begin. No account and no address gets more than half of it; when all of it is taken, the account that has the most loses a body that is still arriving. More is answered with 503. At least twice `body`. Without it, a quarter of the memory that the process may use, but no more than 256MB or twice `body`, whichever is larger.
   */
  body_memory?: number | string
  /**
   * The most memory that answers may take together, from the first byte that a backend sends until the client has read the last: whole answers of every endpoint, and of streams what a slow reader leaves. No account and no address gets more than half of it, but for a single answer. An answer counts twice while the gateway reads, translates or seals it, and the one that came first may exceed the limit by itself. What a stream keeps until its end counts too. An answer for which there is no room waits, and is a 503 when nothing of its account or address is read for 5 s; where its account has less than others, the account with the most loses an answer in its place. A client that reads less than 32 KB/s on the average, after the first minute, loses its answer as well. At least 68MB for each worker, since a whole answer may have 67MB. Without it, a quarter of the memory that the process may use, but no more than 256MB.
   */
  answer_memory?: number | string
  /**
   * The most inputs of one embeddings request, up to 2048.
   */
  embedding_batch?: number | string
  /**
   * The sizes of images that may be asked for, as `<width>x<height>`. The first that a model has is made when a request names none.
   *
   * @minItems 1
   */
  image_sizes?: string[]
  /**
   * How long the headers of a request may take, from the first byte, or from the connection where it is the first request. Checked each second; later ones are answered with 408. At most request_timeout.
   */
  headers_timeout?: string
  /**
   * How long a request may take to arrive, its body included. Checked each second; later ones are answered with 408. A body that a pass-through route streams may take longer: see `max_body` there.
   */
  request_timeout?: string
  /**
   * How long a connection stays open between two requests, and with a client that reads nothing of its answer. Make it longer than the idle timeout of a load balancer in front, which is mostly 60s.
   */
  idle_timeout?: string
  /**
   * The most connections of clients at once; more are closed as they come. The process needs twice as many file descriptors.
   */
  connections?: number | string
  /**
   * The most connections, and running requests, of one address (IPv6: of one /64) at once. Proxies of server.trusted_proxies are exempt: running requests are counted by the address that they forward for.
   */
  connections_per_ip?: number | string
  /**
   * The most keys of an account that work at a time, up to 1000; while a key is replaced, both count. A device of a guest has one.
   */
  keys_per_account?: number | string
  /**
   * How often the model is called in one answer with hosted tools, at most: 2 to 32 times.
   */
  tool_rounds?: number | string
  /**
   * From its admission on, how long an answer may take that still starts, or waits for, hosted tools.
   */
  tool_time?: string
  /**
   * Whether inference and new keys are refused with 503 while the process cannot keep up: those of guests when its event loop comes 100 ms late or 80 % of its heap is in use, those of everybody at 250 ms or 90 %, until 5 s after. Lag counts as far as this process used the CPU: a machine that other programs keep busy makes answers late and refuses nobody.
   */
  shed_load?: boolean
}
/**
 * Links that error bodies carry, and how they are written.
 */
export interface ErrorsSection {
  /**
   * How the bodies of errors are written: spec as {error: text, code}, openai as the object {error: {message, type, param, code}, code}; auto as spec for browsers, generic HTTP libraries and requests without a user agent, and as openai for all other software. /v1/responses and /v1/messages always have the form of their own dialect.
   */
  form?: 'auto' | 'spec' | 'openai'
  /**
   * Whether clients may read what backends say of themselves. With false a 503 has nothing of a backend's words, and those of a refusal come without names of organizations, projects and deployments. Keys, addresses and paths of files are left out either way.
   */
  backend_words?: boolean
  /**
   * A page that explains the error codes. Default: public_url and /docs/errors.
   */
  docs?: string
  /**
   * A page where a client buys more. Default: console_url and /billing; without a console_url the page of errors.
   */
  topup?: string
}
/**
 * The particulars of invoices. An issued invoice keeps those of its time.
 */
export interface BillingSection {
  seller?: SellerSection
  /**
   * The unit of the amounts on invoices: cent for the nearest cent, where the lines still add up to the total by the largest remainder; exact for billionths of a dollar. Quotas, limits and the ledger are exact with either.
   */
  round?: 'exact' | 'cent'
}
/**
 * Who sends the invoices, as they name it. Without it they name public_url.
 */
export interface SellerSection {
  /**
   * The name of the company or person.
   */
  name: string
  /**
   * The postal address, a line of text for each line of it.
   */
  address?: string
  /**
   * The tax number of the seller.
   */
  tax_id?: string
  /**
   * Where customers ask about an invoice: an address of mail or a URL.
   */
  contact?: string
}
/**
 * Who may use which models, how fast, and for how much. By slug.
 */
export interface Plans {
  [k: string]: PlanSection
}
/**
 * A plan: the models it includes and its limits. A limit belongs to the account (for guests: the device), and not to the key, unless its `of` says so.
 */
export interface PlanSection {
  /**
   * A list of model names and `tier:NAME` entries, or the word `all`.
   *
   * @minItems 1
   */
  models: string[] | string
  /**
   * The hosted tools that requests may list: their names, or the word `all`. Without it: none.
   *
   * @minItems 1
   */
  tools?: string[] | string
  /**
   * Requests in every 60 s span.
   */
  rpm: number | string
  /**
   * Prompt and completion tokens in every 60 s span.
   */
  tpm: number | string
  /**
   * Requests in a UTC day. Without it: no daily limit.
   */
  per_day?: number | string
  /**
   * Requests running at once. Without it: no limit.
   */
  max_concurrent?: number | string
  /**
   * US dollars in a calendar month (UTC), at the prices of the models.
   */
  monthly_usd: number | string
  /**
   * Limits of any measure, window and scope, one in each row, such as `{ tokens: 2M, per: day, model: svc-ultra-pro }`. All of them hold.
   *
   * @minItems 1
   * @maxItems 64
   */
  limits?: LimitRuleSection[]
  overage?: OverageSection
  /**
   * When a streamed answer begins to reach the client: with its first content (`first_content`), or once all of it is there (`complete`), so that even a backend that fails in the middle is survived. In place of what the model says.
   */
  commit?: 'first_content' | 'complete'
}
/**
 * The names clients use. They stay when the backends behind them change.
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
   * Completion tokens reserved and sent as the cap when the client sets none. Where it is written here, a larger cap of a client is lowered to it, which x-svc-max-tokens says.
   */
  max_output?: number | string
  /**
   * Whether messages may carry images.
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
   * When a streamed answer begins to reach the client: with its first content (`first_content`), or once all of it is there (`complete`), so that even a backend that fails in the middle is survived.
   */
  commit?: 'first_content' | 'complete'
  /**
   * Whether a request may lose tools or fields where it must be translated for a pool that does not speak the client's dialect: `allow` leaves them out and names them in a header, `refuse` does not use such pools.
   */
  lossy?: 'allow' | 'refuse'
}
/**
 * For models that think before they answer.
 */
export interface ThinkingSection {
  /**
   * Whether the model thinks when the client does not say.
   */
  default: boolean
  /**
   * The least max_tokens a client may ask for while the model thinks.
   */
  min_max_tokens: number | string
}
/**
 * Fields beyond those that every request may carry, and what their values may be: requests for the model may send them, in whatever dialect, and its backends are given them. A field that no model declares is refused in chats, embeddings and images; in Responses and Messages it is an unknown member. None of them changes what a request is charged, so declare what the price covers.
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
   * The least that the number may be. Only with max.
   */
  min?: number
  /**
   * One of these texts.
   *
   * @minItems 1
   */
  one_of?: string[]
  /**
   * A text of at most so many characters. Its bytes are weighed as those of a prompt.
   */
  max_length?: number | string
  /**
   * True or false. Always written as `true`.
   */
  boolean?: true
  /**
   * Any value of at most so many bytes of JSON. They are weighed as those of a prompt; what is in it is not looked at.
   */
  max_size?: number | string
}
/**
 * US dollars for a million tokens. The client pays the price of the model, whichever pool answered.
 */
export interface ChatPriceSection {
  /**
   * US dollars for a million prompt tokens.
   */
  input: number | string
  /**
   * US dollars for a million completion tokens.
   */
  output: number | string
  /**
   * US dollars for a million prompt tokens that the backend found in its cache. Without it: as input.
   */
  cached_input?: number | string
  cache_write?: CacheWriteSection
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
   * Whether `input` may be arrays of token ids. Only for models whose tokenizer the clients use: the ids of another one give vectors that mean nothing, and no error.
   */
  token_ids?: boolean
  accepts?: Accepts
  usd_per_1m: EmbeddingPriceSection
}
/**
 * US dollars for a million tokens. Only input is paid.
 */
export interface EmbeddingPriceSection {
  /**
   * US dollars for a million input tokens.
   */
  input: number | string
}
/**
 * A model that makes images.
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
   * US dollars for one image: an amount for every size of limits.image_sizes, or an amount for each size the model makes, such as `{ 512x512: 0.01 }`.
   */
  usd_per_image:
    | number
    | string
    | {
        [k: string]: ImagePrice
      }
}
/**
 * A model behind pass-through routes, such as one that speaks, transcribes or ranks: what a request costs is said by its route.
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
 * US dollars for a million tokens, for routes whose meter is `usage`.
 */
export interface PassthroughPriceSection {
  /**
   * US dollars for a million input tokens.
   */
  input: number | string
  /**
   * US dollars for a million output tokens.
   */
  output?: number | string
  /**
   * US dollars for a million input tokens that the backend found in its cache. Without it: as input.
   */
  cached_input?: number | string
  cache_write?: CacheWriteSection
}
/**
 * Generic names, each for one model. Only these, and an omitted model, may be upgraded by routing. With a `*` in it, such as `claude-*`, a name stands for all that fit it: those of models and of other aliases go before it, and of patterns the most specific.
 */
export interface Aliases {
  [k: string]: Name
}
/**
 * Places that answer with the same model, by name.
 */
export interface Pools {
  [k: string]: PoolSection
}
/**
 * A pool: replicas that are interchangeable, and how they are spoken to.
 */
export interface PoolSection {
  /**
   * A name: letters, digits, dots, dashes and underscores, at most 64.
   */
  site: string
  /**
   * Base URLs of the backends, with the path up to /v1.
   *
   * @minItems 1
   */
  replicas: string[]
  /**
   * The name the backend knows the model by.
   */
  model: string
  provider?: ProviderSection
  /**
   * The dialects in which the replicas take chats: `chat` (chat completions), `responses` (OpenAI's Responses), `messages` (Anthropic's Messages). A request goes as its client wrote it to a pool that speaks its dialect, and is translated for any other. Only for pools of chat models.
   *
   * @minItems 1
   */
  speaks?: ('chat' | 'responses' | 'messages')[]
  /**
   * The field by which the replicas are told how many tokens an answer may have: `max_tokens`, `max_completion_tokens`, or `both`. Without it: as the profile of the `provider` says for the model, such as `max_completion_tokens` for OpenAI and Azure, which refuse both together; else `max_tokens` for services, some of which refuse any other, and `both` for backends of your own, which ignore one or the other. Only for pools that are sent chat completions.
   */
  cap?: 'max_tokens' | 'max_completion_tokens' | 'both'
  /**
   * How whole answers are fetched from the replicas: `whole`; `stream`, so that their tokens are counted as they come, the cap holds, and a backend stops at once when its client leaves; or `long`, which is `stream` where more than 1,000 tokens are granted and the request has one choice and no tools, and where it has several choices and the backend reports the usage of one (`choices_usage` of the `provider`). The client gets the same whole answer. Without it: `long` for backends of your own and where `choices_usage` is `one`, else `whole`. Only for pools of chat models.
   */
  fetch?: 'whole' | 'long' | 'stream'
  /**
   * The backend's API key: `${VARIABLE}`, or `file:PATH` relative to the main configuration file (also in an included file).
   */
  key?: string
  auth?: AuthSection
  /**
   * Headers that every request to the pool is sent with, each a text, `${VARIABLE}`, or `file:PATH` relative to the main configuration file. A pool that speaks `messages` is sent `anthropic-version: 2023-06-01` unless it has another here.
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
   * Beta features of Messages that clients may switch on by the header `anthropic-beta`, where their requests go to the pool untranslated; a name that ends in `*` stands for all that begin so. Others do not reach the pool. Only for pools that speak `messages`.
   *
   * @minItems 1
   */
  betas?: string[]
  /**
   * Tools that the provider runs itself and charges beside tokens, such as `web_search`, that requests in the pool's own dialect may list. What they cost is the operator's: no bill has it. From other requests such a tool is cut; those that cannot do without it do not go to the pool as they came. Only for pools that speak `responses` or `messages`, or serve a route with `upgrade`, whose sessions may use them.
   *
   * @minItems 1
   */
  provider_tools?: string[]
  /**
   * The treatment of members that a request's dialect does not have, at the top or below, where it goes to the pool untranslated: `drop` sends it without them, and `x-svc-ignored-fields` of the answer names them; `refuse` is a 400 that names the first. Without it: `drop` where the `provider` is a service or all replicas are at one over https, such as api.openai.com; else `refuse`, since an engine trusts whoever reaches it. Only for pools that speak `responses` or `messages`; in a session over WebSocket an event with one is always refused.
   */
  unknown_fields?: 'drop' | 'refuse'
  /**
   * Members beyond those of its dialect that a request which goes to the pool untranslated may have, by name from the top, such as `top_k` or `input.content.uuid`, with all that is in them. Nothing bounds what they say, but they are weighed; `accepts` of a model bounds fields, for all of its pools. `priority`, `cache_salt`, `kv_transfer_params`, `return_token_ids` and their like never pass. Only for pools that speak `responses` or `messages`, or serve a route with `upgrade`.
   *
   * @minItems 1
   * @maxItems 64
   */
  passes?: string[]
  /**
   * Whether the pool is sent http and https addresses of images, files, films and sounds that requests in its own dialect hold, for its replicas to fetch. Leave it off for engines: they fetch from inside your network. `data:` URLs always pass, and no other scheme does. Only for pools that speak `responses` or `messages`, or serve a route with `upgrade`.
   */
  fetches?: boolean
  /**
   * How chats are spread over the replicas: `prefix` sends each to the replica where it costs least, which is mostly the one that has the beginning of its prompt cached; `session` keeps a conversation at one replica, by the id that its client sends or else by its first message; `busy` takes the less busy of two, whatever they have cached. Without it: `prefix` where there is more than one replica, else `busy`. Requests other than chats always go to the less busy of two. Only for pools of chat models.
   */
  balance?: 'prefix' | 'session' | 'busy'
  /**
   * Who may find whose prompt in the caches of the replicas: each `account` for itself, the accounts of an `org` together (those without one for themselves), or all accounts of the `pool`. Prompts are known again within these bounds alone, and an engine that takes `cache_salt`, as the `provider` says, keeps its cache apart by them: nobody can tell by the time of a first token what others asked. The tighter, the fewer prompts are found: accounts that share a long system prompt find it only with `org` or `pool`. `account` and `org` are refused where they are written for backends that take no `cache_salt`.
   */
  caches?: 'account' | 'org' | 'pool'
  /**
   * From dispatch until the connection stands.
   */
  connect_timeout?: string
  /**
   * Streams: from dispatch to the response headers.
   */
  headers_timeout?: string
  /**
   * Streams: the longest silence before the first content, which reasoning is. A backend that sent any byte within the last 15 s, such as a comment, is waited for longer, up to 600 s. For a model that thinks in silence 120s, which it is without it where the profile of the pool's `provider` says so.
   */
  first_content_timeout?: string
  /**
   * Streams: the longest silence between chunks.
   */
  idle_timeout?: string
  /**
   * Streams: from dispatch to the end.
   */
  stream_timeout?: string
  /**
   * Whole answers: from dispatch to the end of one attempt.
   */
  answer_timeout?: string
  /**
   * How long a request waits for room in a pool that has max_concurrent requests running, or max_concurrent_each at every replica.
   */
  queue_timeout?: string
  /**
   * The longest Retry-After of a 429 that is waited out in the pool, before the next pool is tried.
   */
  wait_for_retry_after?: string
  eject?: EjectSection
  probe?: ProbeSection
  load?: LoadSection
  spill?: SpillSection
  /**
   * Tokens of prompt and completion that these replicas take, where that differs from the model. A prompt that is too long for one pool goes on to one that declares more.
   */
  context?: number | string
  /**
   * Requests running in the pool at once, of each gateway. One more waits for queue_timeout, then goes to the next pool.
   */
  max_concurrent?: number | string
  /**
   * Requests running at one replica at once, of each gateway. A replica that has as many is passed over. While all replicas of the pool do, one more request waits for queue_timeout, then goes to the next pool.
   */
  max_concurrent_each?: number | string
  cost_usd_per_1m?: PoolCostSection
  /**
   * The operator's cost for pools that make images: US dollars for one.
   */
  cost_usd_per_image?: number | string
  /**
   * US dollars that the pool may cost in any hour, over all gateways on one store. Requests beyond it go to the next pool. Needs cost_usd_per_1m or cost_usd_per_image.
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
 * When a replica is passed over because it is behind with its work. A pool all of whose usable replicas are passed over is busy: the other pools of `serve` are asked before it. Nothing is refused for it: where the other pools fail, or there are none, the busy pool serves.
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
 * The operator's cost for the pool, in US dollars for a million tokens. It is no client's price: it counts the cost of failed attempts, and the spend that max_usd_per_hour allows.
 */
export interface PoolCostSection {
  /**
   * US dollars for a million prompt tokens.
   */
  input: number | string
  /**
   * US dollars for a million completion tokens. Embeddings have none.
   */
  output?: number | string
  /**
   * US dollars for a million prompt tokens that the backend found in its cache. Without it: as input.
   */
  cached_input?: number | string
  cache_write?: CacheWriteSection
}
/**
 * One route: when it applies, and the model it leads to.
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
 * Conditions on a request. All that are given must hold; those under `not` must not.
 */
export interface WhenSection {
  /**
   * Words or phrases, one of which the last user message says: whole words, in any case and script.
   *
   * @minItems 1
   * @maxItems 200
   */
  mentions?: string | string[]
  /**
   * A regular expression (RE2) that is found in the last user message. `(?i)` ignores case.
   */
  matches?: string
  input_tokens?: TokensRangeSection
  /**
   * Whether the request lists tools.
   */
  has_tools?: boolean
  /**
   * Whether a message has images.
   */
  has_images?: boolean
  plan?: Names
  alias?: AliasNames
  /**
   * Headers of the request, each with the value, or one of the values, that it must have.
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
   * Several of such conditions, one of which must hold.
   *
   * @minItems 1
   */
  any?: WhenSection[]
  not?: WhenSection
}
/**
 * How long the prompt is, in tokens of four bytes.
 */
export interface TokensRangeSection {
  /**
   * More than so many.
   */
  over?: number | string
  /**
   * Less than so many.
   */
  under?: number | string
}
/**
 * The hour of the day, `{ from: 22, to: 6, zone: Europe/Berlin }`: from a full hour until before another.
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
 * Tools that run on the server when a request lists them, by the names that models call them by.
 */
export interface HostedTools {
  [k: string]: HostedToolSection
}
/**
 * A tool of an MCP server.
 */
export interface McpToolSection {
  /**
   * The URL of the MCP server. In place of `http` or `builtin`.
   */
  mcp: string
  /**
   * The server's name for the tool. Default: the name it has here.
   */
  tool?: string
  /**
   * How the server is spoken to: `streamable_http`, or `sse` where it is an old one.
   */
  transport?: 'streamable_http' | 'sse'
  /**
   * The text that models read about the tool, in place of the server's own.
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
   * The URL that the arguments are posted to. In place of `mcp` or `builtin`.
   */
  http: string
  /**
   * The text that models read about the tool: what it does, and when to call it.
   */
  description: string
  /**
   * The arguments, as a JSON Schema (2020-12) of `type: object`. References stay within it, as `#/$defs/NAME`.
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
   * Which one: `current_time` or `calculator`. In place of `mcp` or `http`.
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
 * A pass-through route: a path, its model, and how a request is paid.
 */
export interface PassthroughSection {
  /**
   * The path that clients call. What follows /v1 is appended to the base URL of a replica, as it stands here; queries are refused, but for the model of a WebSocket.
   */
  path: string
  /**
   * The method of its calls: `POST`, or `GET`, which has no body. Another method is answered with 405.
   *
   * @minItems 1
   */
  methods: ('POST' | 'GET')[]
  /**
   * A name: letters, digits, dots, dashes and underscores, at most 64.
   */
  model: string
  /**
   * The bodies it takes, by their content type: `json` is read whole, has its `model` rewritten, and may be sent to the next replica or pool when one fails; `multipart` (multipart/form-data) is streamed, once, with the pool's own name in the place of its `model`, or added to it; `binary` (application/octet-stream, audio, image and video) is streamed as it is, once.
   *
   * @minItems 1
   */
  accepts?: ('json' | 'multipart' | 'binary')[]
  /**
   * The largest body that is streamed. A larger one is answered with 413. One that takes longer than limits.request_timeout is answered with 408 once it brings less than 8 KB a second on the average, or nothing for limits.idle_timeout. JSON, which is read whole, is bounded by limits.body. Default: limits.body.
   */
  max_body?: number | string
  /**
   * `websocket`: clients open a WebSocket instead, with GET. It is admitted like a request, goes to one backend, and holds its place in `max_concurrent` until it is closed. Clients may name the model in the query: `?model=`.
   */
  upgrade?: 'websocket'
  /**
   * How long a WebSocket may stay open. Then it is closed with 1008; a meter with max_seconds closes it earlier. Only with `upgrade`.
   */
  max_session?: string
  /**
   * How long a WebSocket may stay open without a message in either direction; pings are none. Then it is closed with 1008. Only with `upgrade`.
   */
  idle_timeout?: string
  /**
   * The largest message of a WebSocket, in either direction. A larger one closes it with 1009. So much, a few times, may be kept in memory for each socket. Only with `upgrade`.
   */
  max_message?: number | string
  meter: MeterSection
}
/**
 * How a request is paid: one of usd_per_call, usd_per_second, usd_per_mb and usage.
 */
export interface MeterSection {
  /**
   * US dollars for each answer or WebSocket, to at most 9 decimals. It is charged once the backend begins to answer.
   */
  usd_per_call?: number | string
  /**
   * US dollars for a second of the backend's time, from dispatch to the end of its answer or WebSocket, counted in milliseconds. Needs max_seconds.
   */
  usd_per_second?: number | string
  /**
   * The seconds that are reserved, and after which a request is ended.
   */
  max_seconds?: number | string
  /**
   * US dollars for 1,000,000 bytes of the request's body and the answer's, or of the messages of a WebSocket, counted in bytes. Needs max_mb.
   */
  usd_per_mb?: number | string
  /**
   * The megabytes that are reserved, and beyond which a request is ended.
   */
  max_mb?: number | string
  usage?: MeterUsageSection
}
/**
 * Paid by the tokens that the answer counts in its `usage`, at the model's usd_per_1m. JSON is read whole before it is passed on; events of chat completions, Responses and Messages (text/event-stream) are read as they pass, and so are the `response.done` events of a WebSocket: each response of it reserves as much anew.
 */
export interface MeterUsageSection {
  /**
   * Input tokens that are reserved for each request, of the quota and of the minute.
   */
  max_input: number | string
  /**
   * Output tokens that are reserved for each request, of the quota and of the minute.
   */
  max_output?: number | string
}
