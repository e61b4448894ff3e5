import type { Loaded } from '../config/settings.ts'
import { labelledAudit } from '../gateway/accounts/audited.ts'
import { usageBy } from '../gateway/answer/usage.ts'
import { errands } from '../http/admin/admin.ts'
import type { Desk } from '../http/admin/admin-errand.ts'
import { standingsOf } from '../http/admin/admin-events.ts'
import { accountNamed } from '../http/admin/admin-named.ts'
import { shownAudit } from '../http/admin/admin-records.ts'
import type { EpochMs } from '../policy/config.ts'
import type { Denial } from '../policy/denial.ts'
import { dayAt } from '../policy/standing.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { guestSecretsOf } from '../server/guest-secret.ts'
import { alarmLine } from '../server/log/log-line.ts'
import { openStore } from '../server/open-store.ts'
import { world } from '../server/world.ts'
import { ledgerRecord, usageReport } from '../wire/admin/report.ts'
import { readSince, SINCE_FORMS } from '../wire/admin/since.ts'
import { errorTermsOf, renderDenial } from '../wire/errors/denial.ts'
import { isDenial, isObject, type JsonObject } from '../wire/openai/body.ts'
import type { Control, SinceQuery, Streams } from './control.ts'
import { controlOf, type RunErrand } from './errands.ts'
import { osUser } from './os-user.ts'

/** Control on the store itself, for when no gateway runs on it: the same errands, run here. */
export async function localControl({ config, settings }: Loaded): Promise<Control> {
  const guestSecrets = await guestSecretsOf(settings)
  const alarm = (message: string, details?: Parameters<typeof alarmLine>[1]) =>
    console.error(alarmLine(message, details))
  const store = await openStore(settings, world, alarm, 'tool')
  const desk: Desk = { config, settings, store, guestSecrets, ...world, by: `operator ${osUser()} (local)` }
  return controlOf(errandsAt(desk), streamsOf(desk))
}

const errandsAt =
  (desk: Desk): RunErrand =>
  async (method, path, body = {}) => {
    const errand = errands.find(each => each.method === method && each.path === path)
    if (!errand) throw new Error(`there is no errand ${method} ${path}`)
    const fields: JsonObject = { ...body }
    const wrong = errand.check?.(fields)
    if (wrong) return refuse(desk, { code: 'VALIDATION_ERROR', ...wrong })
    const answer = await errand.run(desk, fields)
    return isDenial(answer) ? refuse(desk, answer) : { ...answer }
  }

/** In the words that the gateway would use. */
function refuse({ settings }: Desk, denial: Denial): never {
  const { body } = renderDenial(denial, errorTermsOf(settings))
  throw new CommandFailed(`✗ ${isObject(body) ? String(body.error) : denial.code}`)
}

const streamsOf = (desk: Desk): Streams => {
  const { store } = desk
  return {
    usage: async ({ since, by }) => {
      const day = dayAt(momentOf(since))
      return usageReport(by, day, await usageBy(store, { since: day, by }))
    },
    ledger: async function* (query) {
      for await (const row of store.ledger.readRows(await queryOf(desk, query))) yield ledgerRecord(row)
    },
    audit: async function* (query) {
      for await (const row of labelledAudit(store.accounts, await queryOf(desk, query))) yield shownAudit(row)
    },
    standings: async function* (named) {
      const record = named === undefined ? undefined : await accountNamed(desk, named)
      if (record && isDenial(record)) return refuse(desk, record)
      yield* standingsOf(desk, record?.account)
    },
    close: () => store.close(),
  }
}

async function queryOf(
  desk: Desk,
  { since, account: named }: SinceQuery,
): Promise<{ since: EpochMs; account?: string }> {
  const moment = momentOf(since)
  if (named === undefined) return { since: moment }
  const account = await accountNamed(desk, named)
  return isDenial(account) ? refuse(desk, account) : { since: moment, account: account.account }
}

function momentOf(since: string): EpochMs {
  const at = readSince(since, world.clock.now())
  if (at === undefined) throw new CommandFailed(`✗ since: must be ${SINCE_FORMS}`, exitCodes.usage)
  return at
}
