import { isId, isKeyId } from '../../gateway/accounts/accounts.ts'
import { findAccounts } from '../../gateway/accounts/find-accounts.ts'
import { findKeys } from '../../gateway/accounts/find-keys.ts'
import { hashOf, isWellFormed } from '../../gateway/accounts/keys.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { RequestDetail } from '../../wire/admin/request-detail.ts'
import type { Found } from '../../wire/admin/search.ts'
import type * as calls from '../../wire/admin-api/search.ts'
import type { Asked } from './declared.ts'
import { activeKey } from './op.ts'
import { type RequestsApp, showRequest } from './requests.ts'

/**
 * POST /admin/search: whatever an operator means by a text. Accounts and requests have an index by id, accounts by label, and
 * keys by value. For all else the first accounts of the store are looked at, since the text changes while somebody types.
 */
export async function search(
  app: RequestsApp,
  { body: { text, limit } }: Pick<Asked<typeof calls.search>, 'body'>,
): Promise<Found> {
  const wanted: Wanted = { text: text.trim(), limit }
  const names = namesLike(app, wanted)
  if (wanted.text.startsWith('req_')) return { ...NONE, ...names, requests: await requestsLike(app, wanted) }
  if (wanted.text.startsWith(`${app.settings.brand}_`) || isKeyId(wanted.text))
    return { ...NONE, ...names, ...(await keysLike(app, wanted)) }
  if (isId(wanted.text)) return { ...NONE, ...names, ...(await accountsLike(app, wanted)) }
  const [accounts, keys] = await Promise.all([accountsLike(app, wanted), keysLike(app, wanted)])
  return { ...NONE, ...names, ...keys, ...accounts, partial: accounts.partial || keys.partial }
}

interface Wanted {
  readonly text: string
  /** The most of each kind. */
  readonly limit: number
}

const NONE: Found = { accounts: [], keys: [], requests: [], models: [], pools: [], partial: false }

function namesLike({ config: { models, aliases, pools } }: RequestsApp, { text, limit }: Wanted) {
  const like = (names: Iterable<string>) =>
    [...names].filter(each => each.toLowerCase().includes(text.toLowerCase())).slice(0, limit)
  const named = like([...models.keys(), ...aliases.keys()])
  return {
    models: named.map(model => ({ model, alias_of: aliases.get(model)?.model.name ?? null })),
    pools: like(pools.keys()),
  }
}

/** The one with this id, those with this label, then others with the text in either. */
async function accountsLike({ store: { accounts } }: RequestsApp, { text, limit }: Wanted) {
  const named = await accounts.find(text)
  if (named && isId(text)) return { accounts: [foundAccount(named)], partial: false }
  const [labelled, { records, isPartial }] = await Promise.all([
    accounts.findByLabel(text),
    findAccounts(accounts, { text, limit, budget: BUDGET }),
  ])
  const all = new Map([...(named ? [named] : []), ...labelled, ...records].map(each => [each.account, each]))
  return { accounts: [...all.values()].slice(0, limit).map(foundAccount), partial: isPartial || all.size > limit }
}

/** The key with this value, or those whose id, name or mask is like the text. */
async function keysLike(app: RequestsApp, { text, limit }: Wanted): Promise<Pick<Found, 'keys' | 'partial'>> {
  const { store, settings } = app
  if (isWellFormed(settings.brand, text)) {
    const key = await activeKey(app, hashOf(text))
    return { keys: key ? [foundKey(key)] : [], partial: false }
  }
  // A mask ends with an ellipsis, which people copy along.
  const { records, isPartial } = await findKeys(store, {
    text: text.replace(/(?:…|\.\.\.)$/, ''),
    limit,
    budget: BUDGET,
  })
  return { keys: records.map(foundKey), partial: isPartial }
}

/** The request with this id, of whichever gateway; or those that this process remembers whose id begins so. */
async function requestsLike(app: RequestsApp, { text, limit }: Wanted): Promise<Found['requests']> {
  if (text.length === ID_LENGTH) {
    const detail = await showRequest(app, { id: text, query: { gateway: 'all' } })
    return 'denial' in detail ? [] : [foundRequest(text, detail)]
  }
  const { requests } = await app.recent.newest()
  const found = requests.filter(({ requestId }) => requestId.startsWith(text)).slice(0, limit)
  const labels = await Promise.all(found.map(({ account }) => account && app.store.accounts.find(account)))
  return found.map(({ requestId, at, status, asked, model, account }, index) => ({
    request_id: requestId,
    at: new Date(at).toISOString(),
    status,
    model: asked || (model ?? null),
    account: account ?? null,
    label: (labels[index] || undefined)?.label ?? null,
  }))
}

function foundRequest(
  id: string,
  { request, ledger: [row], labels, decision }: RequestDetail,
): Found['requests'][number] {
  const account = request?.account ?? row?.account ?? null
  return {
    request_id: id,
    at: request?.at ?? row?.admitted_at ?? decision?.at ?? '',
    status: request?.status ?? null,
    model: request?.asked || request?.model || row?.model || null,
    account,
    label: account === null ? null : (labels[account] ?? null),
  }
}

const foundAccount = ({ account, label, terms }: AccountRecord): Found['accounts'][number] => ({
  account,
  label,
  frozen: terms.frozen === true || terms.deactivated === true,
})

const foundKey = ({ id, name, keyPrefix, status, account, label }: KeyRecord): Found['keys'][number] => ({
  ...{ id, name: name ?? null, key: keyPrefix, status, account, label },
})

/** Accounts that are looked at one by one. */
const BUDGET = 2000
/** `req_` and a ULID. */
const ID_LENGTH = 30
