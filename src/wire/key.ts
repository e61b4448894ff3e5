import type { EpochMs } from '../policy/config.ts'
import { isObject } from './body.ts'

/** A key as operators see it: masked. */
export interface ShownKey {
  readonly key: string
  readonly account: string
  readonly label: string
  readonly plan: string
  readonly status: string
  /** Seconds since the epoch. */
  readonly created: number
}

/** What a key record shows of itself; its hash stays here. */
export function shownKey(record: {
  readonly keyPrefix: string
  readonly account: string
  readonly label: string
  readonly plan: string
  readonly status: string
  readonly createdAt: EpochMs
}): ShownKey {
  const { keyPrefix: key, account, label, plan, status, createdAt } = record
  return { key, account, label, plan, status, created: Math.floor(createdAt / 1000) }
}

/** Reads a key that a gateway showed. Throws TypeError when it is none. */
export function readShownKey(value: unknown): ShownKey {
  if (!isObject(value) || typeof value.key !== 'string') throw new TypeError('the gateway sent no key')
  const text = (field: string) => String(value[field] ?? '')
  return {
    key: value.key,
    account: text('account'),
    label: text('label'),
    plan: text('plan'),
    status: text('status'),
    created: Number(value.created),
  }
}
