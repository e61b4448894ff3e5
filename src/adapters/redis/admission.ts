import {
  type Admission,
  type Admitted,
  chargeOf,
  type Extended,
  type Extension,
  LEASE_MS,
} from '../../gateway/store.ts'
import { extensionOf } from '../../policy/judge.ts'
import type { Hold } from '../../policy/standing.ts'
import type { Access } from './access.ts'
import { readTerms, termsText } from './account.ts'
import { checkpointText, claimsText, readGuestsSpent, readHold, readReadings, readRefusal } from './codec.ts'
import type { Reply } from './scripts.ts'

/** One admission. `late` gets a hold that was taken after this was given up. */
export async function admit(
  access: Access,
  { requestId, keyHash, account, terms, claims, shared }: Admission,
  late: (hold: Hold) => void,
): Promise<Admitted> {
  const bucket = access.layout.of(account)
  const { window } = claims.spend
  const keys = [
    keyHash === undefined ? bucket.account(account) : bucket.key(keyHash),
    bucket.account(account),
    bucket.standing(account),
    bucket.spend(account, window.start),
    bucket.hold(requestId),
    bucket.leases,
    access.layout.guests.guestSpend,
    bucket.minute(account),
  ]
  const values = [
    ...[LEASE_MS, requestId, account, termsText(terms), window.start, window.end],
    ...[keyHash === undefined ? 'sign-in' : 'key', shared ? shared.limit : '', claimsText(claims)],
  ]
  // Of a repetition, the window of the first call.
  const held = ([, text = '', , start]: Reply) => readHold(text, { requestId, account, window: Number(start) })
  const reply = await access.script(account, 'admit', keys, values, answer => {
    if (answer[0] === 'admitted') late(held(answer))
  })
  const [outcome, one = '', two = ''] = reply
  switch (outcome) {
    case 'admitted':
      return { outcome, hold: held(reply), readings: readReadings(two) }
    case 'refused':
      return { outcome, ...readRefusal(reply, claims) }
    case 'stale':
      return { outcome, terms: readTerms(one), at: Number(two) }
    case 'guests-spent':
      return { outcome, ...readGuestsSpent(reply, shared?.limit ?? 0) }
    case 'key-gone':
      return { outcome }
    default:
      throw new Error(`the admission script answered ${outcome}`)
  }
}

/** Another round of a request under way. */
export async function extendHold(access: Access, { hold, round, soFar, claims }: Extension): Promise<Extended> {
  const { requestId, account, window } = hold
  const bucket = access.layout.of(account)
  const keys = [
    bucket.standing(account),
    bucket.spend(account, window),
    bucket.hold(requestId),
    bucket.leases,
    access.layout.guests.guestSpend,
    bucket.minute(account),
  ]
  const { tokens, cost } = chargeOf(soFar)
  const values = [
    ...[LEASE_MS, requestId, round, tokens, cost],
    ...[checkpointText(soFar), claimsText(extensionOf(claims))],
  ]
  const reply = await access.script(account, 'extend', keys, values)
  const [outcome, text = ''] = reply
  if (outcome === 'extended') return { outcome, hold: readHold(text, hold) }
  if (outcome !== 'refused') return { outcome: 'ended' }
  const { denial, readings } = readRefusal(reply, claims)
  return { outcome, denial, readings }
}
