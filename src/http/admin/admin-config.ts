import type { FileText } from '../../config/settings.ts'
import { accountsByPlan } from '../../gateway/accounts/plans.ts'
import type { RevisionFiles } from '../../gateway/revision.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { hasChats } from '../../policy/pool-facts.ts'
import { shownMatrix, shownPlanLimits } from '../../wire/admin/matrix.ts'
import { revisionLine, revisionRecord, servedRecord, takenRecord } from '../../wire/admin/revision.ts'
import { shownRevisionDiff } from '../../wire/admin/revision-diff.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import { readValid, validator } from '../../wire/openai/validate.ts'
import type { Application, ExpectedGateway } from '../changes.ts'
import type { HttpCall } from '../listener/call.ts'
import { readBody, readNothing, readQuery, wholeIn } from '../listener/request-input.ts'
import { settingsOf } from '../shown-pools.ts'
import { UNCACHED } from '../uncached.ts'
import { NAME, textOf } from './admin-op.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of the configuration endpoints. */
type ConfigApp = Pick<
  OperatorApp,
  'about' | 'config' | 'settings' | 'store' | 'reload' | 'revisions' | 'compare' | 'apply' | 'fleetChanges'
>

/** GET /admin/config: what serves, with the texts of its files, and how its pools are spoken to. No secret is in them. */
export function showConfig(app: ConfigApp, call: HttpCall): void {
  const { log, directory } = app.settings.decisions
  const { models, pools } = app.config
  const known = [...pools.values()]
    .filter(pool => hasChats(pool, models))
    .map(pool => ({ pool, settings: settingsOf(app, pool) }))
  const { version } = app.about
  call.json(200, servedRecord(app.revisions.serving, { log, directory }, { version, pools: known }), UNCACHED)
}

/** GET /admin/revisions: those that are kept, newest first; or one of them, by its number, with its files. */
export async function listRevisions(app: ConfigApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['number'])
  if ('denial' in query) return call.deny(query.denial)
  const { revisions } = app
  if (query.number === undefined) {
    const { number: serving } = revisions.serving
    const lines = revisions.list().map(each => revisionLine(each, serving))
    return call.json(200, { revisions: lines }, UNCACHED)
  }
  const kept = await revisionIn(app, query, 'number')
  if ('denial' in kept) return call.deny(kept.denial)
  call.json(200, revisionRecord(kept, 'at'), UNCACHED)
}

/** GET /admin/revisions/diff: what changes in meaning from one kept revision to another, and the texts that differ. */
export async function diffRevisions(app: ConfigApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['from', 'to'])
  if ('denial' in query) return call.deny(query.denial)
  const from = await revisionIn(app, query, 'from')
  if ('denial' in from) return call.deny(from.denial)
  const to = await revisionIn(app, query, 'to')
  if ('denial' in to) return call.deny(to.denial)
  const compared = await app.compare(from, to)
  if ('denial' in compared) return call.deny(compared.denial)
  call.json(200, shownRevisionDiff(from, to, compared), UNCACHED)
}

/** The kept revision whose number a parameter gives. */
async function revisionIn<Name extends string>(
  { revisions }: ConfigApp,
  query: Readonly<Partial<Record<Name, string>>>,
  name: Name,
): Promise<RevisionFiles | Denied> {
  const number = wholeIn(query[name] ?? '', 999_999_999)
  if (number === undefined) return invalid(name, 'must be the number of a revision')
  const kept = await revisions.find(number)
  return kept ?? { denial: { code: 'NOT_FOUND', problem: `Revision ${number} is not kept.` } }
}

/** GET /admin/plans: how many accounts are on each. */
export async function listPlans({ store, config }: ConfigApp, call: HttpCall): Promise<void> {
  call.json(200, { plans: await accountsByPlan(store.accounts, config) }, UNCACHED)
}

/** GET /admin/matrix: which models and hosted tools each plan has, and its limits. */
export function showMatrix({ config }: ConfigApp, call: HttpCall): void {
  call.json(200, { ...shownMatrix(config), plans: [...config.plans.values()].map(shownPlanLimits) }, UNCACHED)
}

/** POST /admin/reload: takes the files as they are now, whole or not at all. */
export async function reloadConfig(app: ConfigApp, call: HttpCall, by: string): Promise<void> {
  const wrong = await readNothing(call)
  if (wrong) return call.deny(wrong.denial)
  const reloaded = await app.reload(by)
  if ('denial' in reloaded) return call.deny(reloaded.denial)
  call.json(200, takenRecord(reloaded), UNCACHED)
}

const MAX_FILES = 50
/**
 * The most bytes of all texts together, in UTF-8: the thread that serves links them. Larger ones are changed on the
 * disk of the gateway.
 */
const MAX_BYTES = 256_000
/** The most bytes of the body: JSON writes line breaks and quotes with two bytes, and a few characters with six. */
const MAX_BODY_BYTES = 1_600_000

const check = validator({
  type: 'object',
  required: ['previous', 'files'],
  properties: {
    previous: { type: 'string' },
    files: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_FILES,
      items: {
        type: 'object',
        required: ['file', 'text'],
        properties: { file: { type: 'string' }, text: { type: 'string' } },
        additionalProperties: false,
      },
    },
    move_plans: { type: 'object', maxProperties: 1000, propertyNames: NAME, additionalProperties: NAME },
    how: { enum: ['apply', 'rollback'] },
    fleet: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      items: {
        type: 'object',
        required: ['gateway', 'revision'],
        properties: { gateway: NAME, revision: NAME },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
})

/**
 * POST /admin/apply: puts a candidate in the place of the files and of what serves, whole or not at all; with `fleet` at all
 * gateways of the fleet, or at none.
 */
export async function applyConfig(app: ConfigApp, call: HttpCall, by: string): Promise<void> {
  const read = await readApplication(call, by)
  if ('denial' in read) return call.deny(read.denial)
  const { application, fleet } = read
  if (!fleet) {
    const applied = await app.apply(application)
    if ('denial' in applied) return call.deny(applied.denial)
    return call.json(200, takenRecord(applied), UNCACHED)
  }
  const applied = await app.fleetChanges.coordinator.applyToAll(application, fleet)
  if ('denial' in applied) return call.deny(applied.denial)
  const { gateways, ...own } = applied
  call.json(200, { ...takenRecord(own), gateways }, UNCACHED)
}

interface ReadApplication {
  readonly application: Application
  /** The fleet as the operator saw it, where all of it is to change. */
  readonly fleet?: readonly ExpectedGateway[]
}

async function readApplication(call: HttpCall, by: string): Promise<ReadApplication | Denied> {
  const bytes = await readBody(call.request, MAX_BODY_BYTES)
  if ('denial' in bytes) return bytes
  const read = readValid(bytes, check)
  if ('denial' in read) return read
  const { body } = read
  const files = filesOf(body)
  const size = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (size > MAX_BYTES) return invalid('files', `have more than ${MAX_BYTES} bytes together`)
  const moves = isObject(body.move_plans) ? Object.entries(body.move_plans) : []
  return {
    application: {
      previous: textOf(body, 'previous'),
      files,
      movePlans: new Map(moves.map(([from, to]) => [from, String(to)])),
      how: body.how === 'rollback' ? 'rollback' : 'apply',
      by,
    },
    ...(Array.isArray(body.fleet) && { fleet: body.fleet.map(gatewayIn) }),
  }
}

const gatewayIn = (each: JsonObject): ExpectedGateway => ({
  gateway: textOf(each, 'gateway'),
  revision: textOf(each, 'revision'),
})

const filesOf = ({ files }: JsonObject): readonly FileText[] =>
  Array.isArray(files)
    ? files.map((each: JsonObject) => ({ file: textOf(each, 'file'), text: textOf(each, 'text') }))
    : []
