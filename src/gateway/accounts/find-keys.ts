import { setImmediate } from 'node:timers/promises'
import type { AccountStore } from '../store/account-store.ts'
import type { KeyRecord, KeyStore } from '../store/key-store.ts'

/** An operator's query for keys. */
export interface FindKeysQuery {
  /** The beginning of an id or of a masked value, or a part of a name in whatever case. */
  readonly text: string
  /** At most so many. */
  readonly limit: number
  /** At most so many accounts have their keys looked at. */
  readonly budget: number
}

export interface FoundKeys {
  /** Those that work first. */
  readonly records: readonly KeyRecord[]
  /** Whether others may fit too, which were not looked at. */
  readonly isPartial: boolean
}

interface Searched {
  readonly accounts: Pick<AccountStore, 'scan'>
  readonly keys: Pick<KeyStore, 'listOf'>
}

/**
 * Keys by what people know of them: their id, name or masked value. No store has an index of these, so the keys of the first
 * accounts of the store are read, and no more than the budget says.
 */
export async function findKeys(
  { accounts, keys }: Searched,
  { text, limit, budget }: FindKeysQuery,
): Promise<FoundKeys> {
  const isFound = matcherOf(text)
  const found: KeyRecord[] = []
  let left = budget
  for await (const page of accounts.scan()) {
    const looked = page.slice(0, left)
    left -= looked.length
    const lists = await Promise.all(looked.map(({ account }) => keys.listOf(account)))
    found.push(...lists.flat().filter(isFound))
    if (looked.length < page.length || found.length > limit) return { records: firstOf(found, limit), isPartial: true }
    await setImmediate()
  }
  return { records: firstOf(found, limit), isPartial: false }
}

function matcherOf(text: string): (key: KeyRecord) => boolean {
  const part = text.toLowerCase()
  return ({ id, name, keyPrefix }) =>
    id.startsWith(text) || keyPrefix.startsWith(text) || name?.toLowerCase().includes(part) === true
}

function firstOf(keys: readonly KeyRecord[], limit: number): readonly KeyRecord[] {
  const ended = ({ status }: KeyRecord) => Number(status !== 'active')
  return [...keys].sort((a, b) => ended(a) - ended(b)).slice(0, limit)
}
