import { StoreUnavailable } from '../../gateway/store/store.ts'
import { invalid } from '../../policy/denial.ts'
import { type RequestEnd, shownRequest } from '../../wire/admin/event.ts'
import { ledgerRecord } from '../../wire/admin/ledger-record.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import { accountNamed } from './admin-op.ts'
import { NO_ROWS, PAST_WORDS, readPast } from './admin-past-requests.ts'
import { askedGateways } from './fleet/asked-gateways.ts'
import { type Detail, detailOfFleet } from './fleet/detail-of-fleet.ts'
import { withOthers } from './fleet/past-of-fleet.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the request endpoints. */
type RequestsApp = Pick<
  OperatorApp,
  'config' | 'settings' | 'store' | 'clock' | 'recent' | 'explain' | 'fleet' | 'peers'
>

/**
 * GET /admin/requests: the newest requests that this process remembers; with `since` those that the ledger has, and what all
 * gateways of the fleet remember.
 */
export function listRequests(app: RequestsApp, call: HttpCall): Promise<void> {
  return /[?&](?:since|month)=/.test(call.request.url ?? '') ? listPast(app, call) : listNewest(app, call)
}

async function listPast(app: RequestsApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, [...PAST_WORDS, 'remembered'])
  if ('denial' in query) return call.deny(query.denial)
  const { remembered, ...texts } = query
  const isPart = remembered === 'true'
  const past = await readPast(app, texts, isPart ? NO_ROWS : undefined)
  if ('denial' in past) return call.deny(past.denial)
  call.json(200, isPart ? past : await withOthers(app, texts, past), UNCACHED)
}

async function listNewest(app: RequestsApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['limit', 'before', 'account', ...FILTERS])
  if ('denial' in query) return call.deny(query.denial)
  const limit = wholeIn(query.limit ?? '200', MOST)
  if (limit === undefined) return call.deny(invalid('limit', `must be a number from 1 to ${MOST}`).denial)
  const named = query.account === undefined ? undefined : await accountNamed(app, query.account)
  if (named && 'denial' in named) return call.deny(named.denial)
  const { requests, since } = await (named ? app.recent.newestOf(named.account) : app.recent.newest())
  const before = requests.findIndex(({ requestId }) => requestId === query.before)
  const older = query.before === undefined ? requests : before === -1 ? [] : requests.slice(before + 1)
  const fitting = older.filter(request => FILTERS.every(name => fits(request, name, query[name])))
  const data = fitting.slice(0, limit)
  const next = fitting.length > limit ? (data.at(-1)?.requestId ?? null) : null
  const shown = data.map(request => shownEnd(app, request))
  const labels = await labelsOf(app, data)
  call.json(200, { object: 'list', data: shown, labels, next, since: new Date(since).toISOString() }, UNCACHED)
}

/** By account. While the store does not answer there are none: what this process remembers is shown in any case. */
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

function shownEnd({ config }: RequestsApp, request: RequestEnd): object {
  const { standing: _, ...fields } = shownRequest(request, config, null)
  return fields
}

/**
 * GET /admin/requests/{id}: what is remembered of a request, its rows in the ledger, and why it went as it did. Memory and
 * decision log are those of this process, or with `gateway` those of the fleet.
 */
export async function showRequest(app: RequestsApp, call: HttpCall, _by: string, id: string): Promise<void> {
  const query = readQuery(call, ['gateway'])
  if ('denial' in query) return call.deny(query.denial)
  const asked = await askedGateways(app, query.gateway)
  if ('denial' in asked) return call.deny(asked.denial)
  const own = asked.here ? await detailOf(app, id) : undefined
  if (query.gateway === undefined) return own ? call.json(200, own, UNCACHED) : call.deny(UNKNOWN)
  const isAllKnown = own?.request && own.decision
  const { detail, unreached } = await detailOfFleet(app, id, isAllKnown ? [] : asked.others(), own)
  if (detail) return call.json(200, { ...detail, unreached }, UNCACHED)
  const missing = unreached.map(({ gateway, problem }) => ` ${gateway} could not be asked: ${problem}.`).join('')
  call.deny({
    ...UNKNOWN,
    problem: `No gateway that was asked knows a request with this id, nor does the ledger.${missing}`,
  })
}

const UNKNOWN = {
  code: 'NOT_FOUND',
  problem: 'Neither this gateway nor the ledger knows a request with this id.',
} as const

/** As this gateway has it; undefined where neither it nor the ledger knows the request. */
async function detailOf(app: RequestsApp, id: string): Promise<Detail | undefined> {
  const [request, ledger, decision] = await Promise.all([
    app.recent.find(id),
    app.store.ledger.readRequest(id),
    app.explain(id),
  ])
  if (!request && ledger.length === 0 && !decision) return undefined
  return {
    request: request ? shownEnd(app, request) : null,
    labels: await labelsOf(app, request ? [request] : ledger),
    ledger: ledger.map(ledgerRecord),
    decision: decision ?? null,
    why_none: decision ? null : whyNone(app),
  }
}

const whyNone = ({ settings }: RequestsApp): string =>
  settings.decisions.log ? 'The decision log of this gateway has no line of it.' : 'decisions.log is off.'

const MOST = 5000
const FILTERS = ['status', 'code', 'plan', 'model', 'pool'] as const

/** A status as a number, or a class of them: `4xx`. A code also by its type: `plan_limit`. */
function fits(request: RequestEnd, name: (typeof FILTERS)[number], wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  if (name === 'status') return wanted === String(request.status) || wanted === `${Math.floor(request.status / 100)}xx`
  return request[name] === wanted || (name === 'code' && request.type === wanted)
}
