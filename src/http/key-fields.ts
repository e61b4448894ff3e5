import { type KeyWish, readSpan, wrongWish } from '../gateway/accounts/key-wish.ts'
import type { LookAlike } from '../gateway/store/key-store.ts'
import type { Config, Millis } from '../policy/config.ts'
import { type Denied, invalid, type ValidationDenial } from '../policy/denial.ts'
import type { LimitRule } from '../policy/limits/rule.ts'
import { countedIn } from '../wire/admin/limit.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import { readUsd } from '../wire/money.ts'
import { SPAN_FORMS } from '../wire/wished-key.ts'

/** Reads the wish for a key from a body whose fields have these forms. */
export function readWish(config: Config, body: JsonObject): KeyWish | Denied<ValidationDenial> {
  const life = spanIn(body.expires_in, 'expires_in')
  if ('denial' in life) return life
  const limits = limitsIn(body)
  if ('denial' in limits) return limits
  const wish: KeyWish = {
    ...(typeof body.name === 'string' && { name: body.name }),
    ...(life.span !== undefined && { life: life.span }),
    ...(Array.isArray(body.models) && { models: body.models.map(String) }),
    ...(Array.isArray(body.addresses) && { addresses: body.addresses.map(String) }),
    ...(limits.length > 0 && { limits }),
    ...(isObject(body.labels) && { labels: textsIn(body.labels) }),
  }
  return wrongWish(config, wish) ?? wish
}

const textsIn = (object: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, String(value)]))

/** Those limits, wrapped; absent where the body does not say. */
export function readLimits(
  config: Config,
  body: JsonObject,
): { readonly limits?: readonly LimitRule[] } | Denied<ValidationDenial> {
  if (body.limits === undefined) return {}
  const limits = limitsIn(body)
  if ('denial' in limits) return limits
  return wrongWish(config, { limits }) ?? { limits }
}

/** The limits of a body, in whatever form it has them. They are of the key alone. */
function limitsIn(body: JsonObject): readonly LimitRule[] | Denied<ValidationDenial> {
  const limits: LimitRule[] = []
  for (const [place, written] of (Array.isArray(body.limits) ? body.limits : []).entries()) {
    const { most, of = 'key', ...counted }: JsonObject = isObject(written) ? written : {}
    if (of !== 'key') return invalid(`limits[${place}].of`, 'must be key: a key can only limit itself')
    const read = countedIn({ ...counted, of })
    if (typeof read === 'string') return invalid(`limits[${place}]`, read)
    limits.push({ ...read, most: Number(most) })
  }
  if (body.usd_per_day !== undefined) {
    const most = readUsd(String(body.usd_per_day))
    if (most === undefined) return invalid('usd_per_day', 'must be US dollars, such as 5 or 0.50')
    limits.push({ measure: 'usd', most, per: 'day', of: 'key' })
  }
  if (typeof body.rpm === 'number') limits.push({ measure: 'requests', most: body.rpm, per: 'minute', of: 'key' })
  return limits
}

/** A time in a field of a body; wrapped, so that it differs from a denial. */
export function spanIn(value: unknown, field: string): { readonly span?: Millis } | Denied<ValidationDenial> {
  if (value === undefined) return {}
  const span = readSpan(value)
  return span === undefined ? invalid(field, `must be ${SPAN_FORMS}`) : { span }
}

/** Why nothing can be called so: of two texts that look the same, people take one for the other. */
export function tooAlike(made: LookAlike): Denied<ValidationDenial> {
  if ('label' in made)
    return invalid(
      'account',
      `looks like \`${made.label}\`, the label of ${made.account}: use that account, or choose a label that cannot be confused with it`,
    )
  const { name = '', id } = made.key
  return invalid(
    'name',
    `looks like \`${name}\`, the name of the working key ${id}: choose a name that cannot be confused with it`,
  )
}

/** Why a key cannot be made beside those that work. */
export const tooManyKeys = (field: string, most: number): Denied<ValidationDenial> =>
  invalid(field, `cannot be made: the account has ${most} working keys, the most it may have; revoke one`)
