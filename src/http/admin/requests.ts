import { StoreUnavailable } from '../../gateway/store/store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { DecisionRecord } from '../../policy/record.ts'
import { type RequestEnd, type ShownRemembered, shownRequest } from '../../wire/admin/event.ts'
import { ledgerRecord } from '../../wire/admin/ledger-record.ts'
import type { ShownPast } from '../../wire/admin/past.ts'
import type { PastRequests } from '../../wire/admin/past-request.ts'
import type { RequestDetail } from '../../wire/admin/request-detail.ts'
import type { AnswerOf, QueryOf } from '../../wire/admin-api/call.ts'
import * as calls from '../../wire/admin-api/requests.ts'
import type { Asked } from './declared.ts'
import { askedGateways } from './fleet/asked-gateways.ts'
import { detailOfFleet } from './fleet/detail-of-fleet.ts'
import { withOthers } from './fleet/past-of-fleet.ts'
import { accountNamed } from './op.ts'
import type { OperatorApp } from './operator-app.ts'
import { NO_ROWS, readPast } from './past-requests.ts'
import { turnsThatSpent } from './session-turns.ts'

/** Dependencies of the request endpoints. */
export type RequestsApp = Pick<
  OperatorApp,
  'config' | 'settings' | 'store' | 'clock' | 'recent' | 'explain' | 'fleet' | 'peers'
>

/**
 * GET /admin/requests: the newest requests that this process remembers; with `since` those that the ledger has, and what all
 * gateways of the fleet remember.
 */
export async function listRequests(
  app: RequestsApp,
  { query }: Asked<typeof calls.listRequests>,
): Promise<AnswerOf<typeof calls.listRequests> | Denied> {
  const isPast = query.since !== undefined || query.month !== undefined
  const known = isPast ? [...Object.keys(calls.PAST_FILTERS), 'remembered'] : NEWEST_WORDS
  const other = Object.keys(query).find(name => !known.includes(name))
  if (other)
    return invalid(other, `is not accepted${isPast ? '' : ' without since or month'}; there are ${known.join(', ')}`)
  return isPast ? listPast(app, query) : listNewest(app, query)
}

type RequestsQuery = QueryOf<typeof calls.listRequests>

const FILTERS = ['status', 'code', 'plan', 'model', 'pool'] as const
const NEWEST_WORDS: readonly string[] = ['limit', 'before', 'account', ...FILTERS]

async function listPast(app: RequestsApp, { remembered, ...texts }: RequestsQuery): Promise<PastRequests | Denied> {
  const isPart = remembered === 'true'
  const past = await readPast(app, texts, isPart ? NO_ROWS : undefined)
  return 'denial' in past || isPart ? past : withOthers(app, texts, past)
}

async function listNewest(
  app: RequestsApp,
  { limit = 200, before: last, account, ...query }: RequestsQuery,
): Promise<AnswerOf<typeof calls.listRequests> | Denied> {
  const named = account === undefined ? undefined : await accountNamed(app, account)
  if (named && 'denial' in named) return named
  const { requests, since } = await (named ? app.recent.newestOf(named.account) : app.recent.newest())
  const before = requests.findIndex(({ requestId }) => requestId === last)
  const older = last === undefined ? requests : before === -1 ? [] : requests.slice(before + 1)
  const fitting = older.filter(request => FILTERS.every(name => fits(request, name, query[name])))
  const found = fitting.slice(0, limit)
  const next = fitting.length > limit ? (found.at(-1)?.requestId ?? null) : null
  const data = found.map(request => shownEnd(app, request))
  const labels = await labelsOf(app, found)
  return { object: 'list', data, labels, next, since: new Date(since).toISOString() }
}

/** Labels by account. When the store does not answer there are none: requests in memory are shown all the same. */
async function labelsOf(
  { store }: RequestsApp,
  requests: readonly { readonly account?: string | undefined }[],
): Promise<Readonly<Record<string, string>>> {
  const accounts = [...new Set(requests.flatMap(({ account }) => account ?? []))]
  const found = await Promise.all(accounts.map(account => store.accounts.find(account).catch(unlessAway)))
  return Object.fromEntries(found.flatMap(record => (record ? [[record.account, record.label]] : [])))
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error
}

function shownEnd({ config }: RequestsApp, request: RequestEnd): ShownRemembered {
  const { standing: _, ...fields } = shownRequest(request, config, null)
  return fields
}

/**
 * GET /admin/requests/{id}: what is remembered of a request, its rows in the ledger, and why it went as it did. Memory and
 * decision log are those of this process, or with `gateway` those of the fleet.
 */
export async function showRequest(
  app: RequestsApp,
  { id, query: { gateway } }: Pick<Asked<typeof calls.showRequest>, 'id' | 'query'>,
): Promise<RequestDetail | Denied> {
  const asked = await askedGateways(app, gateway)
  if ('denial' in asked) return asked
  const own = asked.here ? await detailOf(app, id) : undefined
  if (gateway === undefined) return own ?? { denial: UNKNOWN }
  const isAllKnown = own?.request && own.decision
  const { detail, unreached } = await detailOfFleet(app, id, isAllKnown ? [] : asked.others(), own)
  if (detail) return { ...detail, unreached }
  const missing = unreached.map(({ gateway: name, problem }) => ` ${name} could not be asked: ${problem}.`).join('')
  const problem = `Neither the gateways nor the ledger know a request with this id.${missing}`
  return { denial: { ...UNKNOWN, problem } }
}

const UNKNOWN = {
  code: 'NOT_FOUND',
  problem: 'Neither this gateway nor the ledger knows a request with this id.',
} as const

/** As this gateway has it; undefined where neither it nor the ledger knows the request. */
async function detailOf(app: RequestsApp, id: string): Promise<RequestDetail | undefined> {
  const [request, ledger, decision] = await Promise.all([
    app.recent.find(id),
    app.store.ledger.readRequest(id),
    app.explain(id),
  ])
  if (!request && ledger.length === 0 && !decision) return undefined
  const notes = decision && request ? await notesOn(app, request, decision) : []
  return {
    request: request ? shownEnd(app, request) : null,
    labels: await labelsOf(app, request ? [request] : ledger),
    ledger: ledger.map(ledgerRecord),
    decision: decision ?? null,
    why_none: decision ? null : whyNone(app),
    ...(notes.length > 0 && { notes }),
  }
}

/** The requests that spent the budget of the session that was refused. */
async function notesOn(
  { store }: RequestsApp,
  { type, limit }: Pick<RequestEnd, 'type' | 'limit'>,
  { record }: ShownPast,
): Promise<readonly string[]> {
  if (type !== 'session_limit') return []
  const { at, caller, request } = (record as DecisionRecord).facts
  return turnsThatSpent(store.ledger, { account: caller.account, session: request.session, at, limit })
}

const whyNone = ({ settings }: RequestsApp): string =>
  settings.decisions.log ? "This gateway's decision log has no line for it." : 'decisions.log is off.'

/** A status as a number, or a class of them: `4xx`. A code also by its type: `plan_limit`. */
function fits(request: RequestEnd, name: (typeof FILTERS)[number], wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  if (name === 'status') return wanted === String(request.status) || wanted === `${Math.floor(request.status / 100)}xx`
  return request[name] === wanted || (name === 'code' && request.type === wanted)
}
