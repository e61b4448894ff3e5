/** A bound on one kind of work, so that its cause pays for it, and the work is bounded before it is done. */
export interface Bound {
  /** The bound per account or per key. */
  readonly account: string
  readonly address: string
  /** The bound of the whole process. */
  readonly all: string
  /** The files that hold this promise. */
  readonly tests: readonly string[]
}

/** The kinds of work that a request may cause; `rate` of the table of endpoints is one of `COUNTS`. */
export const BODIES = {
  'JSON body': {
    account:
      '`limits.body`; half of `limits.body_memory`; a quarter of the time to parse; 105,000 values (310,000 of embeddings), 10,000 new names; 8 MB of tools and schemas that it sends again',
    address: 'half of `limits.body_memory`',
    all: '`limits.body_memory`; half of the time to parse; 2 MB received in one turn of the event loop; 64 MB of tools and schemas that are sent again',
    tests: [
      'test/http/ingress/body-memory.test.ts',
      'test/http/ingress/span-memory.test.ts',
      'test/http/ingress/turns.test.ts',
      'test/http/public/receive.test.ts',
    ],
  },
  'streamed or JSON body': {
    account: '`max_body` of the route, 8 KB/s at least; JSON as a JSON body',
    address: '`limits.connections_per_ip`; JSON as a JSON body',
    all: 'read no faster than its backend reads; JSON as a JSON body',
    tests: ['test/http/passthrough/pace.test.ts', 'test/http/passthrough/forms.test.ts'],
  },
  messages: {
    account: '`max_message`; a quarter of the time to parse',
    address: '`limits.connections_per_ip`',
    all: 'read no faster than the backend reads; half of the time to parse',
    tests: ['test/http/sessions/hostile.test.ts'],
  },
  'small body': {
    account: '4 KB',
    address: '`limits.connections_per_ip` × 4 KB',
    all: '`limits.connections` × 4 KB',
    tests: ['test/http/listener/json-bodies.test.ts'],
  },
  none: { account: 'not read', address: 'not read', all: 'not read', tests: ['test/http/listener/read.test.ts'] },
} as const satisfies Readonly<Record<string, Bound>>

export const COUNTS = {
  plan: {
    account: 'the limits of its plan and key',
    address: '`limits.connections_per_ip`',
    all: '`limits` with `of: gateway`, `shed_load`',
    tests: ['test/http/limits/limits.test.ts', 'test/http/listener/shed.test.ts'],
  },
  reads: {
    account: '20/s, 100 at once',
    address: '5/s and 50 at once without a key, 20/s for all its guests',
    all: '`shed_load`',
    tests: ['test/http/public/reads.test.ts', 'test/http/listener/read-limits.test.ts'],
  },
  files: {
    account: '–',
    address: '50/s, 400 at once',
    all: '`shed_load`',
    tests: ['test/http/public/reads.test.ts'],
  },
  'without a valid key': {
    account: '–',
    address: '5/s and 50 at once, with all reads without one; a right key beside them is served',
    all: '`limits.connections`',
    tests: ['test/http/public/strangers.test.ts'],
  },
  preflights: {
    account: '–',
    address: '50/s, 400 at once',
    all: '`limits.connections`',
    tests: ['test/http/public/strangers.test.ts'],
  },
  probe: {
    account: '–',
    address: '`limits.connections_per_ip`',
    all: 'the store is asked once a second',
    tests: ['test/http/public/reads.test.ts', 'test/http/admin/readyz.test.ts'],
  },
  operators: {
    account: 'operators alone',
    address: 'operators alone',
    all: 'operators alone',
    tests: ['test/http/admin/roles.test.ts'],
  },
} as const satisfies Readonly<Record<string, Bound>>

export const ANSWERS = {
  'whole answer or stream': {
    account:
      'half of `limits.answer_memory`, twice while it is read, translated or sealed, and what a stream keeps until its end; a quarter of the time to read large ones, in steps; streams count as the cause of load; 32 KB/s at least',
    address: 'half of `limits.answer_memory`',
    all: '`limits.answer_memory`; half of the time; 2 MB received in one turn of the event loop',
    tests: [
      'test/http/bounds/answers.test.ts',
      'test/http/bounds/copies.test.ts',
      'test/gateway/answer/answer-memory.test.ts',
      'test/wire/large-answers.test.ts',
    ],
  },
  session: {
    account: '256 KB that wait to be sent',
    address: '`limits.connections_per_ip` × 256 KB',
    all: 'read no faster than the client reads',
    tests: ['test/http/sessions/hostile.test.ts'],
  },
  'own answer': {
    account: 'half of `limits.answer_memory`; 32 KB/s at least',
    address: 'half of `limits.answer_memory`',
    all: '`limits.answer_memory`',
    tests: ['test/http/bounds/answers.test.ts'],
  },
} as const satisfies Readonly<Record<string, Bound>>

export const KEPT = {
  'ledger row': {
    account: 'one for each request that its plan admits',
    address: '–',
    all: '`ledger.keep`',
    tests: ['test/http/limits/limits.test.ts'],
  },
  'ledger row and response': {
    account:
      '`responses.max_bytes_per_account`, `responses.max_responses_per_account`; a quarter of the time to seal; half of `limits.answer_memory` while it is sealed, and of `limits.body_memory` while it is read',
    address: 'half of `limits.body_memory` while it is read',
    all: '`responses.max_bytes_total`, `responses.keep`; guests keep none by default',
    tests: [
      'test/http/dialects/kept-responses.test.ts',
      'test/adapters/store/aspects/responses.ts',
      'test/gateway/responses/kept-costs.test.ts',
      'test/http/dialects/kept-total.test.ts',
      'test/cli/doctor/responses.test.ts',
    ],
  },
  'kept response': {
    account: 'half of `limits.body_memory` while it is read; one at a time',
    address: 'half of `limits.body_memory` while it is read',
    all: '`limits.body_memory`',
    tests: ['test/http/dialects/kept-responses.test.ts'],
  },
  keys: {
    account: '`limits.keys_per_account`',
    address: 'guests: `guests.mint_per_ip_hour`, `guests.mint_per_net_hour`',
    all: 'guests: `guests.usd_per_day_total`',
    tests: ['test/http/public/several-keys.test.ts', 'test/http/public/guests.test.ts'],
  },
  nothing: { account: '–', address: '–', all: '–', tests: ['test/http/public/reads.test.ts'] },
} as const satisfies Readonly<Record<string, Bound>>

/** One row for all endpoints: a header without a maximum is never sent. */
export const HEADS: Bound = {
  account: '3,584 bytes for a head',
  address: '3,584 bytes for a head',
  all: 'each header by a row of `src/wire/response-headers.ts`',
  tests: ['test/http/listener/response-heads.test.ts', 'test/wire/response-headers.test.ts'],
}

export interface Row {
  readonly body: keyof typeof BODIES
  readonly count: keyof typeof COUNTS
  readonly answer: keyof typeof ANSWERS
  readonly kept: keyof typeof KEPT
}

const inference: Row = { body: 'JSON body', count: 'plan', answer: 'whole answer or stream', kept: 'ledger row' }
const counting: Row = { body: 'JSON body', count: 'reads', answer: 'own answer', kept: 'nothing' }
const read: Row = { body: 'none', count: 'reads', answer: 'own answer', kept: 'nothing' }
const keyChange: Row = { body: 'small body', count: 'reads', answer: 'own answer', kept: 'keys' }
const keptRead: Row = { ...read, kept: 'kept response' }
const file: Row = { ...read, count: 'files' }
const probe: Row = { ...read, count: 'probe' }

const unserved: Row = { body: 'none', count: 'without a valid key', answer: 'own answer', kept: 'nothing' }

/** Client requests that reach no endpoint in the table. */
export const BESIDE_ENDPOINTS = {
  'a wrong key, or none, where one is needed': unserved,
  'a path or method that is not served': unserved,
  'a preflight': { ...unserved, count: 'preflights' },
} as const satisfies Readonly<Record<string, Row>>

/** Every endpoint of the public listener, and those of the admin listener that not only operators reach. */
export const ROWS: Readonly<Record<string, Row>> = {
  'POST /v1/chat/completions': inference,
  'POST /v1/embeddings': inference,
  'POST /v1/images/generations': inference,
  'POST /v1/messages': inference,
  'POST /v1/messages/count_tokens': counting,
  'POST /v1/responses': { ...inference, kept: 'ledger row and response' },
  'POST /v1/responses/input_tokens': counting,
  'GET /v1/responses/{id}': keptRead,
  'DELETE /v1/responses/{id}': keptRead,
  'GET /v1/responses/{id}/input_items': keptRead,
  'POST /v1/responses/{id}/cancel': keptRead,
  'a pass-through route': { ...inference, body: 'streamed or JSON body' },
  'a pass-through route of WebSockets': { ...inference, body: 'messages', answer: 'session' },
  'GET /v1/models': read,
  'GET /v1/models/{id}': read,
  'GET /v1/account': read,
  'POST /v1/account/join': keyChange,
  'GET /v1/account/notices': read,
  'POST /v1/account/notices': keyChange,
  'GET /v1/account/notices/confirm': read,
  'POST /v1/account/notices/confirm': keyChange,
  'POST /v1/agent-tokens': { ...keyChange, kept: 'nothing' },
  'GET /v1/requests': read,
  'GET /billing/quota': read,
  'GET /billing/usage': read,
  'GET /billing/invoices': read,
  'GET /v1/keys/developer': read,
  'POST /v1/keys/developer': keyChange,
  'POST /v1/keys/developer/rotate': keyChange,
  'POST /v1/keys/developer/revoke': keyChange,
  'POST /v1/keys/guest': keyChange,
  'GET /readyz': probe,
  'GET /docs/errors': read,
  'GET /docs/errors.json': read,
  'GET /openapi.json': read,
  'GET /console': file,
  'GET /console/{id}': file,
}
