import { sameTerms } from '../../gateway/admission/terms.ts'
import {
  type Admission,
  type Admitted,
  type Beat,
  chargeOf,
  type Extended,
  type Extension,
  LEASE_MS,
  StoreUnavailable,
} from '../../gateway/store.ts'
import type { Terms } from '../../policy/facts.ts'
import { judge, judgeExtension } from '../../policy/judge.ts'
import { judgedOf } from '../../policy/record.ts'
import { extend, holdOf, newestSecond, take } from '../../policy/standing.ts'
import type { Books } from './books.ts'
import { untilMidnight } from './guest-days.ts'
import type { Records } from './records.ts'

/** Nothing awaits in here: from the first read to the last write no other request comes between. */
export function admit(books: Books, admission: Admission): Admitted {
  const { requestId, account, terms, claims, shared } = admission
  const { records, standings, holds, guestDays, writer } = books
  const repeated = holds.taken(requestId)
  if (repeated) return { outcome: 'admitted', hold: repeated.hold, readings: repeated.readings }
  const present = termsOf(records, admission)
  if (!present) return { outcome: 'key-gone' }
  refuseUnwritten(books)

  const at = books.now()
  const { window } = claims.spend
  if (!sameTerms(present, terms) || at < window.start || at >= window.end)
    return { outcome: 'stale', terms: present, at }

  const standing = standings.of(account)
  const verdict = judge(standing, claims, at)
  const { readings } = verdict
  if (verdict.verdict === 'refuse')
    return {
      outcome: 'refused',
      denial: verdict.denial,
      readings,
      judged: judgedOf(standing, verdict, at),
      newest: newestSecond(standing, at),
    }
  const hold = holdOf(standing, verdict.granted, { requestId, account, window: window.start }, at)
  const taken = shared ? guestDays.taken(hold) : 0
  if (shared && taken + hold.cost > shared.limit) {
    const judged = { at, readings, shared: { limit: shared.limit, taken } }
    return { outcome: 'guests-spent', retryAfterMs: untilMidnight(at), judged }
  }
  const held = { hold, readings, leaseUntil: at + LEASE_MS, isNew: holds.isNew(requestId) }
  holds.put(shared ? { ...held, shared: true } : held)
  standings.put(account, take(standing, hold))
  if (shared) guestDays.take(hold)
  writer.taken(hold)
  return { outcome: 'admitted', hold, readings }
}

/** The hold that is kept decides which rounds there were, not the one a repetition brings. */
export function extendHold(books: Books, { hold: { requestId }, round, soFar, claims }: Extension): Extended {
  const { standings, holds, guestDays, writer } = books
  const held = holds.get(requestId)
  if (!held) return { outcome: 'ended' }
  if (round <= held.hold.round) return { outcome: 'extended', hold: held.hold }
  refuseUnwritten(books)

  const at = books.now()
  const { account } = held.hold
  const spent = chargeOf(soFar)
  const standing = standings.of(account)
  const verdict = judgeExtension(standing, held.hold, spent, claims, at)
  if (verdict.verdict === 'refuse') return { outcome: 'refused', denial: verdict.denial, readings: verdict.readings }
  const extended = extend(standing, held.hold, spent, verdict.granted, at)
  holds.put({ ...held, soFar, hold: extended.hold, leaseUntil: at + LEASE_MS })
  standings.put(account, extended.standing)
  guestDays.extend(held, extended.hold)
  writer.changed(extended.hold)
  return { outcome: 'extended', hold: extended.hold }
}

/** Renews the leases of those under way; a beat without a checkpoint leaves the one there is. */
export function beat({ holds, writer, now }: Books, beats: readonly Beat[]): void {
  const leaseUntil = now() + LEASE_MS
  for (const { hold, soFar } of beats) {
    const held = holds.get(hold.requestId)
    if (!held) continue
    holds.put({ ...held, leaseUntil, ...(soFar && { soFar }) })
    writer.beaten(hold)
  }
}

/** The present terms of the account; undefined when its key is not active, or there is no such account. */
function termsOf({ known }: Records, { keyHash, account }: Admission): Terms | undefined {
  if (keyHash !== undefined) {
    const key = known.key(keyHash)
    if (key?.status !== 'active' || key.account !== account) return undefined
  }
  return known.account(account)?.terms
}

function refuseUnwritten({ writer }: Books): void {
  if (writer.failing) throw new StoreUnavailable('the store cannot be written, so nothing more may be spent')
}
