import type { Secret, Settings } from '../../config/settings.ts'
import type { Clock, Random } from '../../gateway/ports.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Config } from '../../policy/config.ts'
import type { Denial } from '../../policy/denial.ts'
import { invalid, type JsonObject } from '../../wire/openai/body.ts'
import type { Validate } from '../../wire/openai/validate.ts'

/** What an admin operation works with: the parts of a running gateway, or a store that no gateway runs on. */
export interface AdminContext {
  readonly config: Config
  readonly settings: Settings
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** What the keys of guests are derived from, newest first. */
  readonly guestSecrets: readonly Secret[]
  /** The operator who runs it, for the audit. */
  readonly by: string
}

/** A row of the admin table: one operation of operators. Where no gateway runs, svcctl runs it on the store by itself. */
export interface AdminOp {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Of the body; without it there is none. */
  readonly check?: Validate
  readonly run: (context: AdminContext, body: JsonObject) => Promise<object | Denial>
}

/** A field that the operation's check has found to be a text. */
export const textOf = (body: JsonObject, field: string): string => String(body[field])

/** A plan that the configuration does not declare; undefined when it does. */
export function unknownPlan({ plans }: Config, plan: string): Denial | undefined {
  if (plans.has(plan)) return undefined
  return invalid('plan', `no such plan \`${plan}\`; there are ${[...plans.keys()].join(', ')}`)
}

/** A text that a field of a body must be. */
export const NAME = { type: 'string', minLength: 1, maxLength: 200 }
