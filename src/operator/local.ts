import type { FileText, Loaded } from '../config/settings.ts'
import { labelledAudit } from '../gateway/accounts/audited.ts'
import { backupBytes, headerOf } from '../gateway/backup/write.ts'
import type { AuditQuery } from '../gateway/store/account-store.ts'
import { adminOps } from '../http/admin/admin.ts'
import { checkedBody } from '../http/admin/declared.ts'
import { standingsOf } from '../http/admin/exports.ts'
import { readInvoiceNamed, readInvoicesNamed, readInvoicesOf } from '../http/admin/invoice.ts'
import { type AdminContext, accountNamed } from '../http/admin/op.ts'
import { auditedNamed } from '../http/admin/orgs.ts'
import { readPast } from '../http/admin/past-requests.ts'
import { periodIn } from '../http/admin/period.ts'
import { focusLedger, ledgerRecords, readUsage, rowsQuery } from '../http/admin/usage.ts'
import { MONTH_FORMS, monthMeant } from '../policy/billing/month.ts'
import { type Denial, type Denied, invalid } from '../policy/denial.ts'
import { openArchived } from '../server/archiving.ts'
import { ensureBackupKey } from '../server/backup-key.ts'
import { CommandFailed } from '../server/failure.ts'
import { guestSecretsOf } from '../server/guest-secret.ts'
import { alarmLine } from '../server/log/line.ts'
import { openStore } from '../server/state/open-store.ts'
import { refuseDamaged } from '../server/store-check.ts'
import { version } from '../server/version.ts'
import { world } from '../server/world.ts'
import { shownAudit } from '../wire/admin/audit.ts'
import { ledgerRecord } from '../wire/admin/ledger-record.ts'
import type { AnswerOf, BodySent, OperationCall } from '../wire/admin-api/call.ts'
import { errorTermsOf, renderDenial } from '../wire/errors/denial.ts'
import { asObject, isObject } from '../wire/json-safety.ts'
import { readAs } from '../wire/schema/read.ts'
import type { Schema } from '../wire/schema/schema.ts'
import {
  type OperatorApi,
  type OperatorName,
  operatorApiOf,
  osUser,
  type RunAdminOp,
  type SinceQuery,
  type Streams,
} from './api.ts'

/** The operator's API on the store itself, where no gateway runs: it runs the same admin operations in this process. */
export async function localOperatorApi(
  { config, settings, texts }: Loaded,
  { as = osUser() }: OperatorName,
): Promise<OperatorApi> {
  await refuseDamaged(settings)
  const guestSecrets = await guestSecretsOf(settings)
  const alarm = (message: string, details?: Parameters<typeof alarmLine>[1]) =>
    console.error(alarmLine(message, details))
  const store = await openArchived(await openStore(settings, world, alarm, 'tool'), settings, world.clock.now)
  const by = `operator ${as} (local)`
  // Who can open the store can do everything with it.
  const context: AdminContext = { config, settings, store, guestSecrets, ...world, by, role: 'admin' }
  return operatorApiOf(opsIn(context), streamsOf(context, texts))
}

const opsIn =
  (context: AdminContext): RunAdminOp =>
  async <C extends OperationCall>(declared: C, body?: BodySent<C>) => {
    const op = adminOps.find(each => each.declared === declared)
    if (!op) throw new Error(`there is no admin operation ${declared.method} ${declared.path}`)
    const read = checkedBody(declared, asObject(body))
    if ('denial' in read) return refuse(context, read.denial)
    const answer = await op.run(context, read.body)
    if ('denial' in answer) return refuse(context, (answer as Denied).denial)
    const schema: Schema<AnswerOf<C>> = declared.answer
    return readAs(schema, answer)
  }

/** Fails with the text that a gateway would answer. */
function refuse({ settings }: AdminContext, denial: Denial): never {
  const { body } = renderDenial(denial, errorTermsOf(settings))
  throw new CommandFailed(`✗ ${isObject(body) ? String(body.error) : denial.code}`)
}

const streamsOf = (context: AdminContext, files: readonly FileText[]): Streams => {
  const { store, settings, config, clock } = context
  return {
    usage: async query => {
      const report = await readUsage(context, query)
      return 'denial' in report ? refuse(context, report.denial) : report
    },
    invoice: async query => {
      const invoice = await readInvoiceNamed(context, query)
      return 'denial' in invoice ? refuse(context, invoice.denial) : invoice
    },
    invoices: async query => {
      const invoices = await readInvoicesNamed(context, query)
      return 'denial' in invoices ? refuse(context, invoices.denial) : invoices
    },
    monthInvoices: async function* ({ month: text }) {
      const invoices = readInvoicesOf(context, text)
      yield* 'denial' in invoices ? refuse(context, invoices.denial) : invoices
    },
    monthNamed: async ({ month: text }) => {
      const month = monthMeant(text, clock.now(), config.calendar)
      return month?.month ?? refuse(context, invalid('month', `must be ${MONTH_FORMS}`).denial)
    },
    pastRequests: async query => {
      const past = await readPast(context, query)
      return 'denial' in past ? refuse(context, past.denial) : past
    },
    showRequest: async requestId => {
      const rows = await store.ledger.readRequest(requestId)
      const [first] = rows
      if (!first) return refuse(context, { code: 'NOT_FOUND', problem: 'The ledger has no request with this id.' })
      const label = (await store.accounts.find(first.account))?.label
      const labels = label === undefined ? {} : { [first.account]: label }
      const why_none = `No gateway runs. \`svcctl explain --request ${requestId}\` reads the decision log of this machine.`
      return { request: null, labels, ledger: rows.map(ledgerRecord), decision: null, why_none }
    },
    ledger: async function* (texts) {
      const query = await rowsQuery(context, texts)
      yield* ledgerRecords(context, 'denial' in query ? refuse(context, query.denial) : query)
    },
    focus: async function* (texts) {
      const query = await rowsQuery(context, texts)
      yield* focusLedger(context, 'denial' in query ? refuse(context, query.denial) : query)
    },
    audit: async function* (query) {
      for await (const row of labelledAudit(store.accounts, await auditQueryOf(context, query))) yield shownAudit(row)
    },
    standings: async function* (named) {
      const record = named === undefined ? undefined : await accountNamed(context, named)
      if (record && 'denial' in record) return refuse(context, record.denial)
      yield* standingsOf(context, record?.account)
    },
    backup: async function* () {
      const { revision } = config
      const key = await ensureBackupKey(settings.server.stateDir, context.random)
      yield* backupBytes(headerOf(version, clock.now(), settings, { revision, files }), store.dump(), key)
    },
    close: () => store.close(),
  }
}

async function auditQueryOf(context: AdminContext, { since, account: named }: SinceQuery): Promise<AuditQuery> {
  const period = periodIn({ since }, context.clock.now(), context.config.calendar)
  if ('denial' in period) return refuse(context, period.denial)
  const account = named === undefined ? undefined : await auditedNamed(context, named)
  if (account && 'denial' in account) return refuse(context, account.denial)
  return { ...period, ...(account && { account: account.account }) }
}
