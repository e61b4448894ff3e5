import type { Loaded } from '../config/settings.ts'
import { labelledAudit } from '../gateway/accounts/audited.ts'
import { usageBy } from '../gateway/accounts/usage-totals.ts'
import { adminOps } from '../http/admin/admin.ts'
import { type AdminContext, accountNamed, keyNamed } from '../http/admin/admin-op.ts'
import { auditedNamed } from '../http/admin/admin-orgs.ts'
import { standingsOf } from '../http/admin/exports.ts'
import type { EpochMs } from '../policy/config.ts'
import type { Denial } from '../policy/denial.ts'
import { dayAt } from '../policy/limits/account-counters.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { guestSecretsOf } from '../server/guest-secret.ts'
import { alarmLine } from '../server/log/log-line.ts'
import { openStore } from '../server/open-store.ts'
import { world } from '../server/world.ts'
import { shownAudit } from '../wire/admin/audit.ts'
import { readSince, SINCE_FORMS } from '../wire/admin/since.ts'
import { ledgerRecord, usageReport } from '../wire/admin/usage-report.ts'
import { errorTermsOf, renderDenial } from '../wire/errors/denial.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import {
  type OperatorApi,
  type OperatorName,
  operatorApiOf,
  osUser,
  type RunAdminOp,
  type SinceQuery,
  type Streams,
} from './operator-api.ts'

/** The operator's API on the store itself, where no gateway runs: it runs the same admin operations in this process. */
export async function localOperatorApi(
  { config, settings }: Loaded,
  { as = osUser() }: OperatorName,
): Promise<OperatorApi> {
  const guestSecrets = await guestSecretsOf(settings)
  const alarm = (message: string, details?: Parameters<typeof alarmLine>[1]) =>
    console.error(alarmLine(message, details))
  const store = await openStore(settings, world, alarm, 'tool')
  const context: AdminContext = { config, settings, store, guestSecrets, ...world, by: `operator ${as} (local)` }
  return operatorApiOf(opsIn(context), streamsOf(context))
}

const opsIn =
  (context: AdminContext): RunAdminOp =>
  async (method, path, body = {}) => {
    const op = adminOps.find(each => each.method === method && each.path === path)
    if (!op) throw new Error(`there is no admin operation ${method} ${path}`)
    const fields: JsonObject = { ...body }
    const wrong = op.check?.(fields)
    if (wrong) return refuse(context, { code: 'VALIDATION_ERROR', ...wrong })
    const answer = await op.run(context, fields)
    return 'denial' in answer ? refuse(context, answer.denial) : { ...answer }
  }

/** Fails with the text that a gateway would answer. */
function refuse({ settings }: AdminContext, denial: Denial): never {
  const { body } = renderDenial(denial, errorTermsOf(settings))
  throw new CommandFailed(`✗ ${isObject(body) ? String(body.error) : denial.code}`)
}

const streamsOf = (context: AdminContext): Streams => {
  const { store } = context
  return {
    usage: async ({ since, by, key: named }) => {
      const day = dayAt(momentOf(since))
      const key = named === undefined ? undefined : await keyNamed(context, named)
      if (key && 'denial' in key) return refuse(context, key.denial)
      return usageReport(by, day, await usageBy(store, { since: day, by, ...(key && { key: key.id }) }))
    },
    ledger: async function* (query) {
      for await (const row of store.ledger.readRows(await queryOf(context, query))) yield ledgerRecord(row)
    },
    audit: async function* (query) {
      for await (const row of labelledAudit(store.accounts, await queryOf(context, query, auditedNamed)))
        yield shownAudit(row)
    },
    standings: async function* (named) {
      const record = named === undefined ? undefined : await accountNamed(context, named)
      if (record && 'denial' in record) return refuse(context, record.denial)
      yield* standingsOf(context, record?.account)
    },
    close: () => store.close(),
  }
}

async function queryOf(
  context: AdminContext,
  { since, account: named }: SinceQuery,
  find: typeof auditedNamed = accountNamed,
): Promise<{ since: EpochMs; account?: string }> {
  const moment = momentOf(since)
  if (named === undefined) return { since: moment }
  const account = await find(context, named)
  return 'denial' in account ? refuse(context, account.denial) : { since: moment, account: account.account }
}

function momentOf(since: string): EpochMs {
  const at = readSince(since, world.clock.now())
  if (at === undefined) throw new CommandFailed(`✗ since: must be ${SINCE_FORMS}`, exitCodes.usage)
  return at
}
