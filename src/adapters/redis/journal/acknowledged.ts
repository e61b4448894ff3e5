import type { SchemaStep } from '../../../records/terms.ts'
import type { OtherScript, ScriptName } from '../client.ts'
import type { Spooled } from '../spool.ts'

/** A write that Redis acknowledged, of a kind that changes nothing when it is repeated. */
export type Acknowledged =
  | Spooled
  | { readonly call: ScriptCall }
  | { readonly command: readonly string[] }
  /** The account that a key belongs to, by the hash of the key. */
  | { readonly owner: { readonly hash: string; readonly account: string } }

export interface ScriptCall {
  readonly account: string
  readonly name: ScriptName
  readonly keys: readonly string[]
  readonly values: readonly (string | number)[]
  /** The schema that the call raises the store to, when it writes a restriction. */
  readonly step?: SchemaStep
}

/** The call that ends a request. */
export interface EndCall extends ScriptCall {
  readonly name: OtherScript
}
