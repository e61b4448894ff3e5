// Generated from schema/tests.schema.json by scripts/generate.js. Do not edit.

/**
 * The moment of the request.
 */
export type Now = string
/**
 * The plan of who sends it; that of guests makes it a device.
 */
export type Plan = string
/**
 * The model or alias it asks for; `none` for none.
 */
export type Model = string
/**
 * Short for POST /v1/chat/completions with one message of a user.
 */
export type Chat = string
/**
 * The output cap of a chat in short form.
 */
export type MaxTokens = number | string
/**
 * Whether a chat in short form asks for a stream.
 */
export type Stream = boolean

/**
 * Tests of the policy, which `svcctl test` runs. Nothing is asked of a network, a clock or a store: every input is in the file.
 */
export interface TestsFile {
  /**
   * The circumstances from which every case and every cell of the matrix starts.
   */
  given?: {
    now?: Now
    plan?: Plan
    model?: Model
    chat?: Chat
    headers?: Headers
    max_tokens?: MaxTokens
    stream?: Stream
    usage?: Usage
    pools?: Pools
  }
  /**
   * Which plan may use which model: a row for each model, with `ok` or `no` for each plan. Each cell is the shortest request there is.
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
   * One request each, and what is to become of it.
   *
   * @minItems 1
   */
  cases?: Case[]
  /**
   * Rules for every plan, every model, alias or none, every route that could apply, and any pools being down.
   *
   * @minItems 1
   */
  invariants?: Invariant[]
}
/**
 * Headers of the request, by their names.
 */
export interface Headers {
  [k: string]: string
}
/**
 * The account's usage before.
 */
export interface Usage {
  /**
   * In the last minute, all of it at one moment.
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
     * When it was.
     */
    oldest?: string
  }
  /**
   * In the UTC day.
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
   * Requests that are running.
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
   * Requests that are running.
   */
  concurrent?: number | string
  /**
   * Its window.
   */
  per?: string
  /**
   * Who shares it.
   */
  of?: 'account' | 'key' | 'user' | 'plan' | 'org' | 'everybody'
  /**
   * The model or tier that it counts.
   */
  model?: string
}
/**
 * Pools that are not healthy: `down` is ejected and not tried while another is healthy, `failing` fails when it is tried. `{ waiting: 12 }` is healthy, and every replica of it has that load.
 */
export interface Pools {
  [k: string]:
    | string
    | {
        /**
         * Requests that wait at the engine of each replica.
         */
        waiting?: number | string
        /**
         * How long each stream of the last 30 s waited for its first token.
         */
        first_token?: string
      }
}
export interface Case {
  /**
   * The guarantee, as a sentence that can be false.
   */
  name: string
  now?: Now
  plan?: Plan
  /**
   * The bearer that is sent, which no account has; or `none` for no Authorization header.
   */
  auth?: string
  /**
   * The claims of the token that is sent, by which `identity` finds account and plan. Its issuer is that of people where `iss` does not say another one; it is valid unless `aud` or `exp` say otherwise.
   */
  claims?: {
    [k: string]: unknown
  }
  model?: Model
  chat?: Chat
  /**
   * Short for a chat of so many tokens, as routes count them.
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
     * The body as a map, or as a text that is sent as it is.
     */
    body:
      | {
          [k: string]: unknown
        }
      | string
  }
  usage?: Usage
  pools?: Pools
  expect: Expect
}
/**
 * A part of what the client gets and of what was decided. A value is compared, or one of `absent`, `/regular expression/`, `{at_most: n}` and `{at_least: n}`.
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
   * The plan that was decided by.
   */
  plan?: string | number | boolean | unknown[] | {}
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
   * The output that is granted, for each completion.
   */
  max_tokens?: string | number | boolean | unknown[] | {}
  /**
   * Headers of the answer, by their names.
   */
  headers?: {
    [k: string]: unknown
  }
  /**
   * A part of the body, as it stands there.
   */
  body?: {
    [k: string]: unknown
  }
  /**
   * The text of the error where the body is flat, as `message` finds it anywhere.
   */
  error?: string | number | boolean | unknown[] | {}
  /**
   * The exact wait of a 429.
   */
  retry_after_ms?: string | number | boolean | unknown[] | {}
  /**
   * The link of a 429 to the page of errors.
   */
  docs?: string | number | boolean | unknown[] | {}
  /**
   * The day when the month ends, of a 402.
   */
  resetDate?: string | number | boolean | unknown[] | {}
  /**
   * The page to top up, of a 402.
   */
  topupUrl?: string | number | boolean | unknown[] | {}
  /**
   * Whether the account may spend past its month, of a 402.
   */
  overageEnabled?: string | number | boolean | unknown[] | {}
  /**
   * The site of the last pool that was tried, of a 503.
   */
  tier?: string | number | boolean | unknown[] | {}
}
export interface Invariant {
  /**
   * The guarantee; made of the rest when it is missing.
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
   * The plan of who sends it; any when it is missing.
   */
  plan?: string
  /**
   * The model it names: a model, an alias, `none`, `explicit` for any model by name, or `generic` for any alias or none; any when it is missing.
   */
  model?: string
  /**
   * The model that serves it.
   */
  reaches?: string
  /**
   * A pool that it may be sent to: with `always`, the only one.
   */
  pool?: string
  /**
   * The site of a pool that it may be sent to: with `always`, of all of them.
   */
  site?: string
  /**
   * Whether another model serves it than the one that was named.
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
   * The plan of who sends it; any when it is missing.
   */
  plan?: string
  /**
   * The model it names: a model, an alias, `none`, `explicit` for any model by name, or `generic` for any alias or none; any when it is missing.
   */
  model?: string
  /**
   * The model that serves it.
   */
  reaches?: string
  /**
   * A pool that it may be sent to: with `always`, the only one.
   */
  pool?: string
  /**
   * The site of a pool that it may be sent to: with `always`, of all of them.
   */
  site?: string
  /**
   * Whether another model serves it than the one that was named.
   */
  rewritten?: boolean
  /**
   * Whether plan and model allow it at all.
   */
  allowed?: boolean
}
