import { labelledAudit } from '../../gateway/accounts/audited.ts'
import { readLimits } from '../../gateway/accounts/limit-uses.ts'
import type { AuditQuery } from '../../gateway/store/account-store.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { Denied } from '../../policy/denial.ts'
import { shownAudit } from '../../wire/admin/audit.ts'
import { type ShownStanding, shownStanding } from '../../wire/admin/event.ts'
import type { listStandings as listStandingsCall } from '../../wire/admin-api/accounts.ts'
import type { QueryOf } from '../../wire/admin-api/call.ts'
import type { showAudit } from '../../wire/admin-api/usage.ts'
import { inChunks } from '../../wire/lines.ts'
import type { HttpCall } from '../listener/call.ts'
import type { Asked } from './declared.ts'
import { type AdminContext, accountNamed } from './op.ts'
import type { OperatorApp } from './operator-app.ts'
import { auditedNamed } from './orgs.ts'
import { periodIn } from './period.ts'
import { sendStream } from './stream-answer.ts'

/** Dependencies of exports. */
type ExportApp = Pick<OperatorApp, 'store' | 'settings' | 'clock' | 'config'>

type AuditTexts = QueryOf<typeof showAudit>

/** GET /admin/audit: control changes as JSON lines, oldest first. */
export async function exportAudit(
  app: ExportApp,
  asked: Pick<AuditTexts, 'since' | 'account'>,
  call: HttpCall,
): Promise<void> {
  const query = await readAuditQuery(app, asked)
  if ('denial' in query) return call.deny(query.denial)
  await sendLines(call, mapped(labelledAudit(app.store.accounts, { since: 0, ...query }), shownAudit))
}

/** GET /admin/accounts: how accounts stand, as JSON lines: one of them, or all that have had a key. */
export async function listStandings(
  app: ExportApp,
  { query }: Asked<typeof listStandingsCall>,
  call: HttpCall,
): Promise<void> {
  const named = await accountIn(app, query.account)
  if ('denial' in named) return call.deny(named.denial)
  await sendLines(call, standingsOf(app, named.account))
}

export async function* standingsOf(
  { store, config }: AdminStore,
  account?: string,
): AsyncGenerator<ShownStanding, void, undefined> {
  const all = account === undefined ? await store.keys.list() : await store.keys.listOf(account)
  const keys = new Map<string, KeyRecord[]>(account === undefined ? [] : [[account, []]])
  for (const key of all) {
    const ofAccount = keys.get(key.account)
    if (ofAccount) ofAccount.push(key)
    else keys.set(key.account, [key])
  }
  for (const [name, own] of keys) {
    const usage = await store.accounts.readUsage(name, config.calendar)
    if (!usage) continue
    const limited = { ...usage.record, keys: own.filter(({ status }) => status === 'active') }
    yield shownStanding(config, usage, await readLimits(config, store, limited, usage))
  }
}

type AdminStore = Pick<AdminContext, 'store' | 'settings' | 'config'>

/** Wrapped in an object, to differ from a denial. */
export async function accountIn(
  app: ExportApp,
  named: string | undefined,
): Promise<{ readonly account?: string } | Denied> {
  if (named === undefined) return {}
  const record = await accountNamed(app, named)
  return 'denial' in record ? record : { account: record.account }
}

/** Which rows of the audit an operator asks for, by `since` and `account`. */
async function readAuditQuery(
  app: ExportApp,
  { since, account }: Pick<AuditTexts, 'since' | 'account'>,
): Promise<AuditQuery | Denied> {
  const from = periodIn(since === undefined ? {} : { since }, app.clock.now(), app.config.calendar)
  if ('denial' in from) return from
  const named = account === undefined ? undefined : await auditedNamed(app, account)
  if (named && 'denial' in named) return named
  return { ...from, ...(named && { account: named.account }) }
}

async function* mapped<Row>(
  rows: AsyncIterable<Row>,
  shown: (row: Row) => object,
): AsyncGenerator<object, void, undefined> {
  for await (const row of rows) yield shown(row)
}

/** Answers with rows as JSON lines, read from the store as fast as the client takes them. */
export async function sendLines(call: HttpCall, records: AsyncIterable<object>): Promise<void> {
  await sendStream(call, 'application/x-ndjson', inChunks(jsonLines(records)))
}

/** A line for each record. */
export async function* jsonLines(records: AsyncIterable<object>): AsyncGenerator<string, void, undefined> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`
}
