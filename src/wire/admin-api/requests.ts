import { EVENT_KINDS, REMEMBERED } from '../admin/event.ts'
import { EXPLAINED, MOST_PROMPT_TOKENS } from '../admin/explained.ts'
import { PAST_REQUESTS } from '../admin/past-request.ts'
import { POOL_EVENT } from '../admin/pool.ts'
import { REQUEST_DETAIL } from '../admin/request-detail.ts'
import { REVISION_EVENT } from '../admin/revision.ts'
import { ALARM_EVENT } from '../admin/state.ts'
import {
  cases,
  closed,
  fixed,
  flag,
  forms,
  list,
  map,
  moment,
  object,
  optional,
  orNull,
  type RecordOf,
  type RecordSchema,
  record,
  text,
  whole,
  word,
} from '../schema/schema.ts'
import { call } from './call.ts'
import { ACCOUNT_NAME, GATEWAY, KEY_NAME, name, PERIOD } from './fields.ts'

/** The newest requests of a process. */
const NEWEST = record(
  {
    object: fixed('list'),
    data: list(REMEMBERED),
    labels: map(text(), 'Labels of the accounts, by id.'),
    next: orNull(text('`before` of the next page; null on the last one.')),
    since: moment('How far back this process remembers.'),
  },
  'NewestRequests',
)

/** The filters of the newest requests. */
export const FILTERS = {
  status: optional(text('A status, or a class of them: `4xx`.')),
  code: optional(text('A code, or the type of a 429: `plan_limit`.')),
  plan: optional(text()),
  model: optional(text()),
  pool: optional(text()),
}

/** The filters of past requests. */
export const PAST_FILTERS = {
  ...PERIOD,
  account: optional(ACCOUNT_NAME),
  key: optional(KEY_NAME),
  model: optional(text()),
  pool: optional(text()),
  label: optional(text('Only requests with this value of a label: `project=web`. Refused requests have none.')),
  slow: optional(text('Only requests that took at least this long: `5s`, `250ms`.')),
  errors: optional(word(['true', 'false'], '`true`: only requests that were refused, failed or broke off.')),
  kind: optional(word(['mirror'], '`mirror`: only requests that were copied to a mirror.')),
  before: optional(text('`next` of the previous page.')),
  limit: optional(whole(undefined, { least: 1, most: 1000 })),
}

export type PastRequestsQuery = RecordOf<typeof PAST_FILTERS>

export const listRequests = call({
  method: 'GET',
  path: '/admin/requests',
  needs: 'viewer',
  summary:
    "Lists the newest requests in this process's memory; with `since` or `month`, those in the ledger and in the memory of all gateways of the fleet.",
  query: {
    ...FILTERS,
    ...PAST_FILTERS,
    limit: optional(whole('Default: 200, or 100 for past requests.', { least: 1, most: 5000 })),
    remembered: optional(word(['true', 'false'], "`true`: only this gateway's memory, without the ledger.")),
  },
  answer: forms(NEWEST, PAST_REQUESTS),
})

export const showRequest = call({
  method: 'GET',
  path: '/admin/requests/{id}',
  needs: 'viewer',
  summary:
    "Shows everything about one request: the gateways' memory of it, its rows in the ledger, and how it was decided.",
  id: 'The id of a request.',
  query: { gateway: GATEWAY },
  answer: REQUEST_DETAIL,
  errors: ['NOT_FOUND'],
})

export const explainRequest = call({
  method: 'POST',
  path: '/admin/explain',
  needs: 'viewer',
  summary:
    'Says whether a request of an account would be served now, what refuses it, and what it would reserve. Nothing is sent, counted or reserved.',
  body: closed({
    account: optional(ACCOUNT_NAME),
    key: optional(KEY_NAME),
    address: optional(name('The address of the client, for a key that is restricted to addresses.')),
    path: optional(name('Where it is sent: `/v1/chat/completions` where neither this nor the model says otherwise.')),
    headers: optional(map(text(), 'Headers that routes look at.', { most: 50 })),
    body: optional(forms(object('The whole body.'), text('The whole body as its client sends it.'))),
    model: optional(name('The model or alias, in place of `body`, as are the fields below.')),
    text: optional(text('Its text, which routes may look at.')),
    prompt_tokens: optional(whole('How long it is, in place of `text`.', { least: 1, most: MOST_PROMPT_TOKENS })),
    max_tokens: optional(whole('The output cap of a chat.', { least: 1, most: 1e9 })),
    stream: optional(flag('Whether a chat is streamed.')),
    tools: optional(list(name(), 'Hosted tools that a chat lists.')),
  }),
  mostBytes: 8_000_000,
  answer: EXPLAINED,
  errors: ['NOT_FOUND'],
})

/** An event, with the name of the gateway that had it where several are followed. */
const ofGateway = ({ fields, description }: RecordSchema, name: string) =>
  record(
    { gateway: optional(text('The gateway that served it, if several are followed.')), ...fields },
    name,
    description,
  )

/** The kinds of events that can be asked for. */
export const FEED_KINDS = ['request', 'standing', 'alarm', 'pool', 'revision'] as const

export const followEvents = call({
  method: 'GET',
  path: '/admin/events',
  needs: 'viewer',
  summary:
    'Streams requests as they end, with the usage of their accounts, from this gateway or, with `gateway`, from the fleet.',
  query: {
    account: optional(ACCOUNT_NAME),
    kinds: optional(list(word(FEED_KINDS), 'Default: `request,standing`.')),
    gateway: GATEWAY,
  },
  events: cases('event', {
    request: ofGateway(EVENT_KINDS.request, 'RequestEvent'),
    standing: ofGateway(EVENT_KINDS.standing, 'StandingEvent'),
    dropped: ofGateway(EVENT_KINDS.dropped, 'DroppedEvent'),
    gateway: EVENT_KINDS.gateway,
    alarm: ofGateway(ALARM_EVENT, 'AlarmEvent'),
    pool: ofGateway(POOL_EVENT, 'PoolEvent'),
    revision: ofGateway(REVISION_EVENT, 'RevisionEvent'),
  }),
})
