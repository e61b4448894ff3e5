import type { FileText } from '../../config/settings.ts'
import { accountsByPlan } from '../../gateway/accounts/plans.ts'
import type { RevisionFiles } from '../../gateway/revision.ts'
import type { Denial } from '../../policy/denial.ts'
import { problemRecord } from '../../wire/errors/bodies.ts'
import { invalid, isDenial, isObject, type JsonObject } from '../../wire/openai/body.ts'
import { readValid, validator } from '../../wire/openai/validate.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { readBody, readNothing, readQuery } from '../listener/request-input.ts'
import { UNCACHED } from '../public/keys.ts'
import { NAME, textOf } from './admin-errand.ts'
import type { Application } from './changes.ts'

/** GET /admin/config: what serves, with the texts of its files. No secret is in them. */
export function showConfig(app: App, call: HttpCall): void {
  const { log, directory } = app.settings.decisions
  call.json(200, { ...shownRevision(app.revisions.serving, 'since'), decisions: { log, directory } }, UNCACHED)
}

/** GET /admin/revisions: those that are kept, newest first; or one of them, by its number, with its files. */
export async function listRevisions(app: App, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['number'])
  if (isDenial(query)) return call.deny(query)
  const { revisions } = app
  if (query.number === undefined) {
    const { number: serving } = revisions.serving
    const lines = revisions.list().map(({ number, revision, at, by, how, files }) => {
      return { number, revision, at: new Date(at).toISOString(), by, how, files, serves: number === serving }
    })
    return call.json(200, { revisions: lines }, UNCACHED)
  }
  if (!/^[1-9][0-9]{0,8}$/.test(query.number)) return call.deny(invalid('number', 'must be the number of a revision'))
  const kept = await revisions.find(Number(query.number))
  if (!kept) return call.deny({ code: 'NOT_FOUND', problem: `Revision ${query.number} is not kept.` })
  call.json(200, shownRevision(kept, 'at'), UNCACHED)
}

/** GET /admin/plans: how many accounts are on each. */
export async function listPlans({ store, config }: App, call: HttpCall): Promise<void> {
  call.json(200, { plans: await accountsByPlan(store.accounts, config) }, UNCACHED)
}

const shownRevision = ({ revision, number, at, by, how, files }: RevisionFiles, when: 'since' | 'at') => ({
  revision,
  number,
  [when]: new Date(at).toISOString(),
  by,
  how,
  main: files[0]?.file ?? '',
  files,
})

/** POST /admin/reload: takes the files as they are now, whole or not at all. */
export async function reloadConfig(app: App, call: HttpCall, by: string): Promise<void> {
  const wrong = await readNothing(call)
  if (wrong) return call.deny(wrong)
  const reloaded = await app.reload(by)
  if (!reloaded.ok) return call.deny({ ...reloaded, code: 'RELOAD_REFUSED' })
  const { revision, previous, generation, changed, warnings } = reloaded
  call.json(200, { revision, previous, generation, changed, warnings: warnings.map(problemRecord) }, UNCACHED)
}

const MAX_FILES = 50
/** Of all texts together, in UTF-8: the thread that serves links what is in them. Larger ones are changed on the disk of the gateway. */
const MAX_BYTES = 256_000
/** Of the body: JSON writes line breaks and quotes with two bytes, and a few characters with six. */
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
  },
  additionalProperties: false,
})

/** POST /admin/apply: puts a candidate in the place of the files and of what serves, whole or not at all. */
export async function applyConfig(app: App, call: HttpCall, by: string): Promise<void> {
  const read = await readApplication(call, by)
  if (isDenial(read)) return call.deny(read)
  const applied = await app.apply(read.application)
  if (!applied.ok) return call.deny(applied.denial)
  const { ok: _, warnings, ...said } = applied
  call.json(200, { ...said, warnings: warnings.map(problemRecord) }, UNCACHED)
}

/** Wrapped, so that it can be told from a denial. */
async function readApplication(call: HttpCall, by: string): Promise<{ readonly application: Application } | Denial> {
  const bytes = await readBody(call.request, MAX_BODY_BYTES)
  if (isDenial(bytes)) return bytes
  const read = readValid(bytes, check)
  if (isDenial(read)) return read
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
  }
}

const filesOf = ({ files }: JsonObject): readonly FileText[] =>
  Array.isArray(files)
    ? files.map((each: JsonObject) => ({ file: textOf(each, 'file'), text: textOf(each, 'text') }))
    : []
