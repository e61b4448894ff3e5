import type { Denial } from '../../policy/denial.ts'
import { isDenial, type JsonObject } from '../../wire/openai/body.ts'
import { readValid, validator } from '../../wire/openai/validate.ts'
import { readBody } from './body.ts'
import type { HttpCall } from './call.ts'

const MAX_BODY_BYTES = 65_536

/** Reads a body that has one field, a text, and no other; wrapped, so that it can be told from a denial. */
export function oneField(name: string, schema: object = {}) {
  const validate = validator({
    type: 'object',
    required: [name],
    properties: { [name]: { ...schema, type: 'string' } },
    additionalProperties: false,
  })
  return async (call: HttpCall): Promise<{ readonly value: string } | Denial> => {
    const body = await readSmall(call, validate)
    return isDenial(body) ? body : { value: String(body.body[name]) }
  }
}

const validateNone = validator({ type: 'object', additionalProperties: false })

/** Reads a body without a field: `{}`, or nothing at all. */
export async function readNothing(call: HttpCall): Promise<Denial | undefined> {
  const body = await readSmall(call, validateNone, '{}')
  return isDenial(body) ? body : undefined
}

/** Reads a body of a few fields; `empty` stands for one without a byte. */
export async function readSmall(
  call: HttpCall,
  validate: ReturnType<typeof validator>,
  empty = '',
): Promise<{ readonly body: JsonObject } | Denial> {
  const bytes = await readBody(call.request, MAX_BODY_BYTES)
  if (isDenial(bytes)) return bytes
  return readValid(bytes.length === 0 ? Buffer.from(empty) : bytes, validate)
}
