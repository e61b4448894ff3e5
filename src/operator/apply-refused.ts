import { CommandFailed } from '../server/failure.ts'
import { isObject, type JsonObject } from '../wire/openai/body.ts'

/** A gateway that does not take files, and goes on with those that served. The message has all that it says. */
export class ApplyRefused extends CommandFailed {
  readonly code: 'APPLY_REFUSED' | 'REVISION_CHANGED'
  /** Plans that would go away while accounts are on them; empty where that is not the reason. */
  readonly plansInUse: readonly { readonly plan: string; readonly accounts: number }[]

  constructor(code: ApplyRefused['code'], answer: JsonObject) {
    const { text, error, plans_in_use: inUse } = answer
    super(`${typeof text === 'string' && text !== '' ? `${text}\n` : ''}✗ ${String(error)}`)
    this.code = code
    this.plansInUse = Array.isArray(inUse)
      ? inUse.filter(isObject).map(({ plan, accounts }) => ({ plan: String(plan), accounts: Number(accounts) }))
      : []
  }
}
