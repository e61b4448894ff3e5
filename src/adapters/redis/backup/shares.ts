import type { HeldRules } from '../../../policy/limits/rule-claim.ts'
import { HOLD_FIELDS, holdTexts } from '../hold-text.ts'
import { chunksOf, type Layout } from '../layout.ts'
import { readHeldRules } from '../rule-texts.ts'
import type { DedicatedConnections } from '../servers/dedicated-connections.ts'
import type { HoldFields } from './bucket-snapshot.ts'

/** A request's share of limits that accounts share, where those lie apart. */
export interface Share {
  /** The day and the cost of its hold on what guests share. */
  readonly shared: string
  readonly rules: HeldRules | undefined
}

/** The shares of some running requests, by their ids. One that ended meanwhile has none. */
export async function readShares(
  dedicated: DedicatedConnections,
  { guests }: Layout,
  holds: readonly HoldFields[],
): Promise<ReadonlyMap<string, Share>> {
  const shares = new Map<string, Share>()
  const { client } = await dedicated.to(guests.epoch)
  for (const page of chunksOf(holds, PAGE)) {
    const read = await Promise.all(
      page.map(([requestId]) => client.hmGet(guests.sharedHold(requestId), [...HOLD_FIELDS])),
    )
    for (const [place, texts] of read.entries()) {
      const { state, shared, rules, cells, weight } = holdTexts(texts)
      const [requestId] = page[place] ?? []
      if (requestId === undefined || state !== 'open') continue
      shares.set(requestId, { shared: shared ?? '', rules: readHeldRules([rules, cells, weight]) })
    }
  }
  return shares
}

/** The counts of a request in both places. */
export const withShare = (own: HeldRules | undefined, share: Share | undefined): HeldRules | undefined =>
  own && share?.rules ? { ...own, taken: [...own.taken, ...share.rules.taken] } : (own ?? share?.rules)

const PAGE = 1000
