import type { EpochMs, Millis } from '../../policy/config.ts'
import type { KeyRecord } from '../store/key-store.ts'

/** A span of time that a look covers: from the end of the look before, which is absent at the first one. */
export interface Span {
  readonly after?: EpochMs | undefined
  readonly until: EpochMs
}

/** The moment at which a key has so long left. */
export interface Expiring {
  readonly key: ExpiringKey
  readonly left: Millis
}

type ExpiringKey = Pick<
  KeyRecord,
  'id' | 'account' | 'label' | 'name' | 'keyPrefix' | 'createdAt' | 'expiresAt' | 'status' | 'replacedBy'
>

/**
 * Keys of which a warning is due in a span: a week and a day before they stop working. After a pause of days the nearest
 * warning stands for the ones before it. A key that was minted with less time left is warned of from then on, and one that
 * was replaced not at all.
 */
export function expiringIn<Key extends ExpiringKey>(
  keys: readonly Key[],
  { after = Number.NEGATIVE_INFINITY, until }: Span,
): readonly (Expiring & { readonly key: Key; readonly expiresAt: EpochMs })[] {
  return keys.flatMap(key => {
    const { status, expiresAt, replacedBy, createdAt } = key
    if (status !== 'active' || expiresAt === undefined || replacedBy !== undefined || expiresAt <= until) return []
    const left = WARNINGS_MS.find(each => expiresAt - each <= until)
    const isDue = left !== undefined && expiresAt - left > after && expiresAt - left >= createdAt
    return isDue ? [{ key, left, expiresAt }] : []
  })
}

const DAY_MS: Millis = 86_400_000

/** The time before the end of a key at which it is announced, ascending. */
const WARNINGS_MS: readonly Millis[] = [DAY_MS, 7 * DAY_MS]
