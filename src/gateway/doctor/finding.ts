/** The finding of a check. */
export interface Finding {
  /** `node`, `store`, `pools` … */
  readonly check: string
  /** The thing examined: a pool, a tool, an issuer, an address. */
  readonly subject: string
  readonly state: State
  /** One line, without a full stop. */
  readonly text: string
  /** The operator's next step. */
  readonly hint?: string
  /** The replicas of a pool, and those without a problem. */
  readonly replicas?: { readonly fit: number; readonly of: number }
}

/** A warning works, though not as it should; a problem does not. */
export type State = 'ok' | 'warning' | 'problem'

/** A fault, before it is known whose it is. */
export interface Fault {
  readonly state: Exclude<State, 'ok'>
  readonly text: string
  readonly hint?: string
  /** A backend that knows no model of that name may list others; one that is busy says the same whatever it is asked. */
  readonly why?: 'unknown model' | 'busy'
}

export const problem = (text: string, hint?: string): Fault => ({ state: 'problem', text, ...(hint && { hint }) })
export const warning = (text: string, hint?: string): Fault => ({ state: 'warning', text, ...(hint && { hint }) })
