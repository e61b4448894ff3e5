import type { ShownAccount, ShownAccounts, ShownAudit, ShownKey, ShownPlan } from '../http/admin/admin-records.ts'
import { isObject, type JsonObject } from '../wire/openai/body.ts'

// Each reads what a gateway sent, and throws TypeError when it is something else.

export const readKeys = ({ data }: JsonObject): readonly ShownKey[] => list(data, 'keys').map(readShownKey)

export function readShownKey(value: unknown): ShownKey {
  const record = object(value, 'key')
  return {
    key: text(record, 'key'),
    account: text(record, 'account'),
    label: text(record, 'label'),
    kind: text(record, 'kind'),
    ...plan(record),
    status: text(record, 'status'),
    created: count(record, 'created'),
  }
}

export const readOwnedKey = (record: JsonObject): ShownKey & { readonly owner: ShownAccount } => ({
  ...readShownKey(record),
  owner: readShownAccount(record.owner),
})

export function readShownAccount(value: unknown): ShownAccount {
  const record = object(value, 'account')
  const window = object(record.window, 'window')
  return {
    account: text(record, 'account'),
    label: text(record, 'label'),
    kind: text(record, 'kind'),
    created: count(record, 'created'),
    ...plan(record),
    overage: overage(record.overage),
    overage_source: oneOf(['operator', 'plan'], record, 'overage_source'),
    window: { start: text(window, 'start'), end: text(window, 'end') },
    used_usd: text(record, 'used_usd'),
    held_usd: text(record, 'held_usd'),
    limit_usd: record.limit_usd === null ? null : text(record, 'limit_usd'),
    granted_usd: text(record, 'granted_usd'),
    keys: list(record.keys, 'keys').map(each => {
      const key = object(each, 'key')
      return { key: text(key, 'key'), status: text(key, 'status'), created: count(key, 'created') }
    }),
  }
}

export const readAccounts = ({ data, has_more }: JsonObject): ShownAccounts => ({
  object: 'list',
  data: list(data, 'accounts').map(readShownAccount),
  has_more: has_more === true,
})

export function readShownAudit(value: unknown): ShownAudit {
  const record = object(value, 'row of the audit')
  return {
    at: text(record, 'at'),
    by: text(record, 'by'),
    action: text(record, 'action'),
    account: text(record, 'account'),
    // A gateway of a version before this one sends none.
    label: record.label === undefined ? '' : text(record, 'label'),
    before: text(record, 'before'),
    after: text(record, 'after'),
  }
}

/** What became of a reload. */
export interface ShownReload {
  readonly revision: string
  readonly previous: string
  readonly changed: boolean
  /** `file:line:column message` */
  readonly warnings: readonly string[]
}

export const readShownReload = (record: JsonObject): ShownReload => ({
  revision: text(record, 'revision'),
  previous: text(record, 'previous'),
  changed: record.changed === true,
  warnings: list(record.warnings, 'warnings').map(each => {
    const { file, line, column, message } = object(each, 'warning')
    return `${file}:${line}:${column}  ${message}`
  }),
})

const plan = (record: JsonObject): ShownPlan => ({
  plan: record.plan === null ? null : text(record, 'plan'),
  plan_source: oneOf(['operator', 'token', 'default', 'guests'], record, 'plan_source'),
})

function overage(value: unknown): ShownAccount['overage'] {
  if (value === 'on' || value === 'off') return value
  return { cap_usd: text(object(value, 'overage'), 'cap_usd') }
}

export function object(value: unknown, what: string): JsonObject {
  if (!isObject(value)) throw new TypeError(`the gateway sent no ${what}`)
  return value
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`the gateway sent no ${what}`)
  return value
}

export function text(record: JsonObject, field: string): string {
  const value = record[field]
  if (typeof value !== 'string') throw new TypeError(`the gateway sent no ${field}`)
  return value
}

export function count(record: JsonObject, field: string): number {
  const value = record[field]
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`the gateway sent no ${field}`)
  return value
}

export function oneOf<T extends string>(known: readonly T[], record: JsonObject, field: string): T {
  const value = known.find(each => each === record[field])
  if (value === undefined) throw new TypeError(`the gateway sent no ${field}`)
  return value
}
