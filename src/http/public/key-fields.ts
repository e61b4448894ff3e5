import { type KeyWish, readSpan, SPAN_FORMS, wrongWish } from '../../gateway/accounts/key-wish.ts'
import type { Config, Millis } from '../../policy/config.ts'
import { type Denied, invalid, type ValidationDenial } from '../../policy/denial.ts'
import type { JsonObject } from '../../wire/json-safety.ts'

/** The fields of a body that says what a new key is to be. */
export const WISH_FIELDS = {
  name: {
    type: 'string',
    // One line that shows as it reads; ids begin like that.
    pattern: '^(?!\\s|key_)[^\\p{C}\\p{Zl}\\p{Zp}]{1,64}(?<!\\s)$',
    description: 'must be one line of at most 64 characters, and not begin with key_',
  },
  expires_in: { type: ['integer', 'string'], description: `must be ${SPAN_FORMS}` },
  models: {
    type: 'array',
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 128 },
  },
  addresses: {
    type: 'array',
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 64 },
  },
}

/** What a body whose fields have these forms asks of a key. */
export function readWish(config: Config, body: JsonObject): KeyWish | Denied<ValidationDenial> {
  const life = spanIn(body, 'expires_in')
  if ('denial' in life) return life
  const wish: KeyWish = {
    ...(typeof body.name === 'string' && { name: body.name }),
    ...(life.span !== undefined && { life: life.span }),
    ...(Array.isArray(body.models) && { models: body.models.map(String) }),
    ...(Array.isArray(body.addresses) && { addresses: body.addresses.map(String) }),
  }
  return wrongWish(config, wish) ?? wish
}

/** A time in a field of a body; wrapped, so that it differs from a denial. */
export function spanIn(body: JsonObject, field: string): { readonly span?: Millis } | Denied<ValidationDenial> {
  if (body[field] === undefined) return {}
  const span = readSpan(body[field])
  return span === undefined ? invalid(field, `must be ${SPAN_FORMS}`) : { span }
}

/** Why a key cannot be made beside those that work. */
export const tooManyKeys = (field: string, most: number): Denied<ValidationDenial> =>
  invalid(field, `cannot be had: the account has ${most} keys that work, and may have no more; revoke one`)
