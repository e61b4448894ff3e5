import type { Alarm } from '../../gateway/ports.ts'
import type { Feed } from '../../http/feed.ts'
import { type PoolsNow, poolNow } from '../../http/shown-pools.ts'

/** Tells those who follow the feed of a pool that changed. */
export const poolTeller =
  (feed: Feed, current: () => PoolsNow, alarm: Alarm) =>
  (name: string): void => {
    // Without readers there is nothing to send.
    if (feed.readers === 0) return
    const now = current()
    const pool = now.config.pools.get(name)
    if (!pool) return
    void poolNow(now, pool).then(
      shown => feed.pooled(shown),
      error => alarm('the change of a pool could not be read', { pool: name, error: String(error) }),
    )
  }
