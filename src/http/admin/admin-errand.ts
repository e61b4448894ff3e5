import type { Secret, Settings } from '../../config/settings.ts'
import type { Clock, Random } from '../../gateway/ports.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Config } from '../../policy/config.ts'
import type { Denial } from '../../policy/denial.ts'
import { invalid, type JsonObject } from '../../wire/openai/body.ts'
import type { Validate } from '../../wire/openai/validate.ts'

/** What an operator's errand works with: that of a running gateway, or a store that none runs on. */
export interface Desk {
  readonly config: Config
  readonly settings: Settings
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** What the keys of guests are derived from, newest first. */
  readonly guestSecrets: readonly Secret[]
  /** Who runs the errand, for the audit. */
  readonly by: string
}

/** One thing that operators may do: a row of the admin table, which svcctl also runs by itself where no gateway does. */
export interface Errand {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Of the body; without it there is none. */
  readonly check?: Validate
  readonly run: (desk: Desk, body: JsonObject) => Promise<object | Denial>
}

/** A field that the check of the errand found to be a text. */
export const textOf = (body: JsonObject, field: string): string => String(body[field])

/** A plan that the configuration does not declare; undefined when it does. */
export function unknownPlan({ plans }: Config, plan: string): Denial | undefined {
  if (plans.has(plan)) return undefined
  return invalid('plan', `no such plan \`${plan}\`; there are ${[...plans.keys()].join(', ')}`)
}

/** A text that a field of a body must be. */
export const NAME = { type: 'string', minLength: 1, maxLength: 200 }
