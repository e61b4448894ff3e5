import type { FileText } from '../../config/settings.ts'
import type { Denial } from '../../policy/denial.ts'
import { problemRecord } from '../../wire/errors/bodies.ts'
import { invalid, isDenial, isObject, type JsonObject } from '../../wire/openai/body.ts'
import { readValid, validator } from '../../wire/openai/validate.ts'
import { readBody } from '../listener/body.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { UNCACHED } from '../public/keys.ts'
import { NAME, textOf } from './admin-errand.ts'
import type { Application } from './applied.ts'

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
