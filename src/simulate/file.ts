// Generated from schema/tests.schema.json by scripts/generate.js. Do not edit.

/**
 * The time of the request.
 */
export type Now = string
/**
 * The plan of the sender. The guests' plan makes the sender a device.
 */
export type Plan = string
/**
 * The org of the sender's account, without `org:`. Claims name one by their groups.
 */
export type Org = string
/**
 * The model or alias in the request; `none` for none.
 */
export type Model = string
/**
 * Short for POST /v1/chat/completions with one user message.
 */
export type Chat = string
/**
 * The output cap of a chat in short form.
 */
export type MaxTokens = number | string
/**
 * Whether a chat in short form requests a stream.
 */
export type Stream = boolean
/**
 * Requests that use slots of `max_concurrent`, in the order in which they got them: a number of requests like the sender's, each of an account of its own, or groups.
 *
 * @minItems 1
 */
export type Requests = number | string | RequestGroup[]
/**
 * Requests that wait in the `queue` of the pool, in the order in which they came: a number or groups, as in `in_flight`.
 *
 * @minItems 1
 */
export type Requests1 = number | string | RequestGroup[]
/**
 * The pool whose share of the traffic the conversation belongs to. Without it the conversation belongs to none.
 */
export type Share = string

/**
 * Policy tests, which `svcctl test` runs. They use no network, clock or store: every input is in the file.
 */
export interface TestsFile {
  /**
   * The circumstances shared by every case and every cell of the matrix.
   */
  given?: {
    now?: Now
    plan?: Plan
    org?: Org
    model?: Model
    chat?: Chat
    headers?: Headers
    max_tokens?: MaxTokens
    stream?: Stream
    usage?: Usage
    pools?: Pools
    share?: Share
  }
  /**
   * The models that each plan may use: a row per model, with `ok` or `no` for each plan. Each cell sends a minimal request.
   */
  matrix?: {
    /**
     * The plans, in the order of the cells.
     *
     * @minItems 1
     */
    plans: string[]
    /**
     * @minItems 1
     */
    [k: string]: ('ok' | 'no')[] | string[]
  }
  /**
   * Single requests with their expected outcome.
   *
   * @minItems 1
   */
  cases?: Case[]
  /**
   * Rules for every plan, every model, alias or none, every route that could apply, every share of traffic and none, and any combination of pools being down.
   *
   * @minItems 1
   */
  invariants?: Invariant[]
}
/**
 * Headers of the request, by name.
 */
export interface Headers {
  [k: string]: string
}
/**
 * The account's earlier usage.
 */
export interface Usage {
  /**
   * Usage in the last minute, all at one moment.
   */
  minute?: {
    /**
     * Requests.
     */
    requests?: number | string
    /**
     * Tokens.
     */
    tokens?: number | string
    /**
     * How long ago it was.
     */
    oldest?: string
  }
  /**
   * Usage in the day.
   */
  day?: {
    /**
     * Requests.
     */
    requests?: number | string
  }
  /**
   * US dollars spent in the month.
   */
  month_usd?: number
  /**
   * US dollars reserved by running requests.
   */
  reserved_usd?: number
  /**
   * Running requests.
   */
  concurrent?: number | string
  /**
   * US dollars that all guests together have spent in the UTC day.
   */
  guests_usd?: number
  /**
   * Rows of `limits` of plans, each with its usage in place of its limit.
   *
   * @minItems 1
   */
  limits?: UsedLimit[]
}
/**
 * The usage of a limit, such as `{ tokens: 1.9M, per: day, model: svc-ultra-pro }`: one of requests, tokens, input_tokens, output_tokens, images, seconds, usd and concurrent, and the `per`, `of` and `model` of its row.
 */
export interface UsedLimit {
  /**
   * Requests.
   */
  requests?: number | string
  /**
   * Prompt and completion tokens.
   */
  tokens?: number | string
  /**
   * Prompt tokens.
   */
  input_tokens?: number | string
  /**
   * Completion tokens.
   */
  output_tokens?: number | string
  /**
   * Images.
   */
  images?: number | string
  /**
   * Seconds of a backend.
   */
  seconds?: number | string
  /**
   * US dollars.
   */
  usd?: number
  /**
   * Running requests.
   */
  concurrent?: number | string
  /**
   * The window.
   */
  per?: string
  /**
   * The time without a request that ends a session.
   */
  idle?: string
  /**
   * Who shares the limit.
   */
  of?: string
  /**
   * The model or tier whose requests count.
   */
  model?: string
}
/**
 * Pools that are not healthy: `down` is ejected and not tried while another is healthy, `failing` fails when it is tried. `{ waiting: 12 }` is healthy, and every replica of it has that load. `{ in_flight: 16, queued: 12 }` is healthy, and that many requests use its slots or wait for one.
 */
export interface Pools {
  [k: string]:
    | string
    | {
        in_flight?: Requests
        queued?: Requests1
        /**
         * Requests that wait at the engine of each replica.
         */
        waiting?: number | string
        /**
         * How long each stream of the last 30 s waited for its first token.
         */
        first_token?: string
        /**
         * The state of each replica, in the order of the pool. Omitted replicas have none.
         *
         * @minItems 1
         */
        replicas?: {
          /**
           * Tokens of the beginning of this prompt that its cache has.
           */
          cached?: number | string
          /**
           * Requests that run there.
           */
          running?: number | string
          /**
           * Prompt tokens of these requests.
           */
          held?: number | string
          /**
           * Prompt tokens that it still has to compute for them.
           */
          owed?: number | string
        }[]
      }
}
export interface RequestGroup {
  /**
   * The number of requests.
   */
  requests: number | string
  /**
   * The plan of their accounts, which sets their priority, weight and share. The sender's if omitted.
   */
  plan?: string
  /**
   * The org of their accounts. If omitted they are in the sender's org, or in none where the group has a `plan`.
   */
  org?: string
  /**
   * Any name makes them the requests of one account, which has one plan and org in all groups; `sender` is the account of the request itself, with its plan and org. If omitted, each has an account of its own.
   */
  account?: string
  /**
   * The size of each body, which counts in `queue.bytes`.
   */
  bytes?: number | string
}
export interface Case {
  /**
   * The guarantee, as a sentence that can be false.
   */
  name: string
  now?: Now
  plan?: Plan
  org?: Org
  /**
   * An unknown bearer token to send, or `none` for no Authorization header.
   */
  auth?: string
  /**
   * The claims of the token, by which `identity` finds account and plan. `iss` defaults to the issuer for people. The token is valid unless `aud` or `exp` say otherwise.
   */
  claims?: {
    [k: string]: unknown
  }
  model?: Model
  chat?: Chat
  /**
   * Short for a chat of this many tokens, as routes count them.
   */
  chat_tokens?: number | string
  /**
   * Short for POST /v1/embeddings of one text.
   */
  input?: string
  /**
   * Short for POST /v1/images/generations of one image.
   */
  prompt?: string
  headers?: Headers
  max_tokens?: MaxTokens
  stream?: Stream
  /**
   * The whole request, where the short forms are not enough.
   */
  request?: {
    /**
     * Always POST.
     */
    method?: 'POST'
    /**
     * An endpoint that models answer.
     */
    path?: '/v1/chat/completions' | '/v1/responses' | '/v1/messages' | '/v1/embeddings' | '/v1/images/generations'
    headers?: Headers
    /**
     * The body as a map, or as a text that is sent unchanged.
     */
    body:
      | {
          [k: string]: unknown
        }
      | string
  }
  usage?: Usage
  pools?: Pools
  share?: Share
  expect: Expect
}
/**
 * Expected parts of the answer and the decision. A value is compared, or is one of `absent`, `/regular expression/`, `{at_most: n}` and `{at_least: n}`.
 */
export interface Expect {
  /**
   * The HTTP status: 200 when the request is served.
   */
  status?: number
  /**
   * The code of the error.
   */
  code?: string | number | boolean | unknown[] | {}
  /**
   * The type of a 429.
   */
  type?: string | number | boolean | unknown[] | {}
  /**
   * The text of the error, whatever its field is called.
   */
  message?: string | number | boolean | unknown[] | {}
  /**
   * The plan that the decision used.
   */
  plan?: string | number | boolean | unknown[] | {}
  /**
   * The org that groups in the claims name, without `org:`, or `none`.
   */
  org?: string | number | boolean | unknown[] | {}
  /**
   * The role of an operator that groups in the claims grant, or `none`.
   */
  role?: string | number | boolean | unknown[] | {}
  /**
   * The model that is served, or would be.
   */
  model?: string | number | boolean | unknown[] | {}
  /**
   * The route that chose the model, or `none`.
   */
  route?: string | number | boolean | unknown[] | {}
  /**
   * The pools that may answer, in the order in which they would be tried.
   */
  pools?: string[]
  /**
   * The pool that answers, or `none`.
   */
  served_by?: string | number | boolean | unknown[] | {}
  /**
   * The pools that were tried, in order.
   */
  attempted?: string[]
  /**
   * How the pool that answers chooses among its replicas for this request: `prefix`, `session` or `busy`; `none` with one replica.
   */
  balance?: string | number | boolean | unknown[] | {}
  /**
   * The replica that answers, by its number in the pool or its URL; `none` where it is one of two at random.
   */
  replica?: string | number | boolean | unknown[] | {}
  /**
   * The pool in whose queue the request waits, or `none`.
   */
  waits_in?: string | number | boolean | unknown[] | {}
  /**
   * The waiting requests that get a slot before it: 0 if it gets the next free one; `none` if it does not wait for a slot.
   */
  waits_behind?: string | number | boolean | unknown[] | {}
  /**
   * Its slot in a pool with `shares`: `guaranteed` by the share of its owner, `borrowed` from an owner that does not use it, or `open`: guaranteed to nobody. `none` without shares.
   */
  slot?: string | number | boolean | unknown[] | {}
  /**
   * The bound of a full queue that turned the request away: `max`, `of_account` or `bytes`, or `none`.
   */
  queue_full?: string | number | boolean | unknown[] | {}
  /**
   * The pool that a copy of the request goes to, or `none`. `share: POOL` puts the conversation into the sample.
   */
  mirror?: string | number | boolean | unknown[] | {}
  /**
   * The granted output, per completion.
   */
  max_tokens?: string | number | boolean | unknown[] | {}
  /**
   * Headers of the answer, by name.
   */
  headers?: {
    [k: string]: unknown
  }
  /**
   * A part of the body.
   */
  body?: {
    [k: string]: unknown
  }
  /**
   * The text of the error in a flat body. `message` finds it in any body.
   */
  error?: string | number | boolean | unknown[] | {}
  /**
   * The exact wait of a 429.
   */
  retry_after_ms?: string | number | boolean | unknown[] | {}
  /**
   * The link to the page of errors in a 429.
   */
  docs?: string | number | boolean | unknown[] | {}
  /**
   * The end of the month in a 402.
   */
  resetDate?: string | number | boolean | unknown[] | {}
  /**
   * The page to top up in a 402.
   */
  topupUrl?: string | number | boolean | unknown[] | {}
  /**
   * Whether the account may spend beyond its month, in a 402.
   */
  overageEnabled?: string | number | boolean | unknown[] | {}
  /**
   * The site of the last pool that was tried, in a 503.
   */
  tier?: string | number | boolean | unknown[] | {}
}
export interface Invariant {
  /**
   * The guarantee; derived from the rest if missing.
   */
  name?: string
  never?: Claim
  always?: Claim1
}
/**
 * No request does all of this.
 */
export interface Claim {
  /**
   * The plan of the sender; any if missing.
   */
  plan?: string
  /**
   * The model in the request: a model, an alias, `none`, `explicit` for any model by name, or `generic` for any alias or none; any if missing.
   */
  model?: string
  /**
   * The model that answers.
   */
  reaches?: string
  /**
   * A pool that may receive it; with `always`, the only one.
   */
  pool?: string
  /**
   * The site of a pool that may receive it; with `always`, of all of them.
   */
  site?: string
  /**
   * Whether another model answers than the one in the request.
   */
  rewritten?: boolean
  /**
   * Whether plan and model allow it at all.
   */
  allowed?: boolean
}
/**
 * Every request of the plan and the model does all of the rest, unless it is refused.
 */
export interface Claim1 {
  /**
   * The plan of the sender; any if missing.
   */
  plan?: string
  /**
   * The model in the request: a model, an alias, `none`, `explicit` for any model by name, or `generic` for any alias or none; any if missing.
   */
  model?: string
  /**
   * The model that answers.
   */
  reaches?: string
  /**
   * A pool that may receive it; with `always`, the only one.
   */
  pool?: string
  /**
   * The site of a pool that may receive it; with `always`, of all of them.
   */
  site?: string
  /**
   * Whether another model answers than the one in the request.
   */
  rewritten?: boolean
  /**
   * Whether plan and model allow it at all.
   */
  allowed?: boolean
}
