import type { Settlement } from '../../gateway/store/hold-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { dayAt, type Hold, NOTHING } from '../../policy/standing.ts'
import type { Ask } from './access.ts'
import { readCheckpoint, readHold, restOf, whoseOf } from './codec.ts'
import type { Bucket, Layout } from './layout.ts'
import type { Reply } from './scripts.ts'
import type { Spooled } from './spool.ts'

/** Holds of one bucket that are looked at together. */
const PAGE = 100

/** How a hold ends, and at what; without a settlement it bought nothing. */
export interface End {
  readonly how: 'settle' | 'refund' | 'orphan'
  readonly hold: Hold
  readonly settlement?: Omit<Settlement, 'hold'>
}

export function endOf(spooled: Spooled): End {
  if ('refund' in spooled) return { how: 'refund', hold: spooled.refund }
  return { how: 'settle', hold: spooled.settle.hold, settlement: spooled.settle }
}

/** What the settlement script is called with, but for the epoch of the bucket. */
export function endArguments(layout: Layout, { how, hold, settlement }: End) {
  const { requestId, account, window, second, at } = hold
  const bucket = layout.of(account)
  const { tokens, cost } = settlement ? { tokens: settlement.tokens, cost: settlement.bill.cost } : NOTHING
  const bill = settlement?.bill
  return {
    keys: [
      bucket.standing(account),
      bucket.spend(account, window),
      bucket.hold(requestId),
      bucket.leases,
      bucket.ledger,
      bucket.totals(dayAt(at)),
      layout.guests.guestSpend,
      bucket.minute(account),
    ],
    values: [
      requestId,
      how,
      tokens,
      cost,
      bill?.inputTokens ?? 0,
      bill?.outputTokens ?? 0,
      bill ? whoseOf(bill) : '',
      bill ? restOf(bill) : '',
      second,
    ],
  }
}

/** Ends the holds of a bucket whose lease is over. Returns how many this call ended. */
export async function sweepBucket(
  ask: Ask,
  bucket: Bucket,
  now: EpochMs,
  end: (end: End) => Promise<Reply>,
): Promise<number> {
  let swept = 0
  for (;;) {
    const due = await ask(client =>
      client.zRange(bucket.leases, '-inf', now, { BY: 'SCORE', LIMIT: { offset: 0, count: PAGE } }),
    )
    const ended = await Promise.all(due.map(requestId => sweepHold(ask, bucket, requestId, end)))
    swept += ended.filter(Boolean).length
    // Nothing ended: others are at it, or all of them were renewed.
    if (due.length < PAGE || !ended.includes(true)) return swept
  }
}

async function sweepHold(
  ask: Ask,
  bucket: Bucket,
  requestId: string,
  end: (end: End) => Promise<Reply>,
): Promise<boolean> {
  const [account, window, text, checkpoint] = await ask(client =>
    client.hmGet(bucket.hold(requestId), ['account', 'window', 'hold', 'checkpoint']),
  )
  if (!account || !text) {
    // A lease without a hold holds nothing.
    await ask(client => client.zRem(bucket.leases, requestId))
    return false
  }
  const hold = readHold(text, { requestId, account, window: Number(window) })
  const settlement = checkpoint ? readCheckpoint(checkpoint) : undefined
  const [outcome] = await end({ how: 'orphan', hold, ...(settlement && { settlement }) })
  return outcome === 'settled'
}
