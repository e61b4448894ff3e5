import { accountsByPlan } from '../../gateway/accounts/plans.ts'
import type { RevisionFiles } from '../../gateway/revision.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { hasChats } from '../../policy/pool-facts.ts'
import { shownMatrix, shownPlanLimits } from '../../wire/admin/matrix.ts'
import { keptConfig, revisionLine, servedRecord, takenRecord } from '../../wire/admin/revision.ts'
import { type ShownRevisionDiff, shownRevisionDiff } from '../../wire/admin/revision-diff.ts'
import type { AnswerOf } from '../../wire/admin-api/call.ts'
import * as calls from '../../wire/admin-api/config.ts'
import type { Application, Revisions } from '../changes.ts'
import { settingsOf } from '../shown-pools.ts'
import type { Asked } from './declared.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the configuration endpoints. */
type ConfigApp = Pick<
  OperatorApp,
  'about' | 'config' | 'settings' | 'store' | 'reload' | 'revisions' | 'compare' | 'apply' | 'fleetChanges'
>

/** GET /admin/config: what serves, with the texts of its files, and how its pools are spoken to. No secret is in them. */
export function showConfig(app: ConfigApp): AnswerOf<typeof calls.showConfig> {
  const { log, directory } = app.settings.decisions
  const { models, pools } = app.config
  const known = [...pools.values()]
    .filter(pool => hasChats(pool, models))
    .map(pool => ({ pool, settings: settingsOf(app, pool) }))
  const { version } = app.about
  return servedRecord(app.revisions.serving, { log, directory }, { version, pools: known })
}

/** GET /admin/revisions: those that are kept, newest first; or one of them, by its number, with its files. */
export async function listRevisions(
  { revisions }: ConfigApp,
  { query: { number } }: Asked<typeof calls.listRevisions>,
): Promise<AnswerOf<typeof calls.listRevisions> | Denied> {
  if (number === undefined) {
    const { number: serving } = revisions.serving
    return { revisions: revisions.list().map(each => revisionLine(each, serving)) }
  }
  const kept = await revisionNumbered(revisions, number)
  return 'denial' in kept ? kept : keptConfig(kept)
}

/** GET /admin/revisions/diff: what changes in meaning from one kept revision to another, and the texts that differ. */
export async function diffRevisions(
  { revisions, compare }: ConfigApp,
  { query }: Asked<typeof calls.diffRevisions>,
): Promise<ShownRevisionDiff | Denied> {
  const from = await revisionNumbered(revisions, query.from)
  if ('denial' in from) return from
  const to = await revisionNumbered(revisions, query.to)
  if ('denial' in to) return to
  const compared = await compare(from, to)
  return 'denial' in compared ? compared : shownRevisionDiff(from, to, compared)
}

async function revisionNumbered(revisions: Revisions, number: number): Promise<RevisionFiles | Denied> {
  const kept = await revisions.find(number)
  return kept ?? { denial: { code: 'NOT_FOUND', problem: `Revision ${number} is not kept.` } }
}

/** GET /admin/plans: how many accounts are on each. */
export const listPlans = async ({ store, config }: ConfigApp): Promise<AnswerOf<typeof calls.listPlans>> => ({
  plans: await accountsByPlan(store.accounts, config),
})

/** GET /admin/matrix: which models and hosted tools each plan has, and its limits. */
export const showMatrix = ({ config }: ConfigApp): AnswerOf<typeof calls.showMatrix> => ({
  ...shownMatrix(config),
  plans: [...config.plans.values()].map(plan => shownPlanLimits(plan, config.calendar)),
})

/** POST /admin/reload: takes the files as they are now, whole or not at all. */
export async function reloadConfig(
  app: ConfigApp,
  { by }: Asked<typeof calls.reloadConfig>,
): Promise<AnswerOf<typeof calls.reloadConfig> | Denied> {
  const reloaded = await app.reload(by)
  return 'denial' in reloaded ? reloaded : takenRecord(reloaded)
}

/**
 * POST /admin/apply: puts a candidate in the place of the files and of what serves, whole or not at all; with `fleet` at all
 * gateways of the fleet, or at none.
 */
export async function applyConfig(
  app: ConfigApp,
  { body, by }: Asked<typeof calls.applyConfig>,
): Promise<AnswerOf<typeof calls.applyConfig> | Denied> {
  const { previous, files, move_plans: moves = {}, how = 'apply', fleet } = body
  const size = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (size > calls.MOST_FILE_BYTES) return invalid('files', `have more than ${calls.MOST_FILE_BYTES} bytes together`)
  const application: Application = { previous, files, movePlans: new Map(Object.entries(moves)), how, by }
  const applied = await (fleet ? app.fleetChanges.coordinator.applyToAll(application, fleet) : app.apply(application))
  return 'denial' in applied ? applied : takenRecord(applied)
}
