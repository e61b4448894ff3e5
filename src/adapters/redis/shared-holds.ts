import {
  type Admission,
  chargeOf,
  type Extension,
  LEASE_MS,
  type Refused,
  type Settlement,
} from '../../gateway/store/hold-store.ts'
import { type Hold, NOTHING } from '../../policy/counters/account-counters.ts'
import { extensionOf } from '../../policy/counters/judge.ts'
import { heldBy, refusedBy } from '../../policy/counters/refusal.ts'
import type { Claims } from '../../policy/decision.ts'
import { type CounterName, type HeldRules, isSharedGroup } from '../../policy/limits/rule-claim.ts'
import type { RuleUse } from '../../policy/limits/rule-counter.ts'
import type { Access } from './access.ts'
import type { Reply } from './client.ts'
import { claimsText } from './codec.ts'
import { checkpointText, HOLD_FIELDS, holdText, holdTexts, readCheckpoint } from './hold-text.ts'
import type { EndCall } from './journal/acknowledged.ts'
import { GUESTS, type Layout } from './layout.ts'
import { adoptedRules, claimedRules, endedRules, extendedRules, readHeldRules, readUses } from './rule-texts.ts'

/**
 * The holds of requests on limits that accounts share, where those lie apart from accounts: in a cluster, whose scripts have
 * the keys of one slot. Such limits have one bucket, and a request that meets them a hold there too, of the same id, which is
 * taken before the account admits and ends after it settled. Its lease runs out by itself.
 */
export class SharedHolds {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  /** Takes a request's share, with at most `want` output. */
  async take(admission: Admission, want: number): Promise<Taken> {
    const { requestId, account, claims, shared, isTrial } = admission
    const part = { ...sharedPart(claims), output: { ...claims.output, want } }
    const { keys, values } = claimedRules(this.#access.layout, GUESTS, part)
    const all = [isTrial ? 0 : LEASE_MS, requestId, account, shared?.limit ?? '', claimsText(part), values[0] ?? '']
    const reply = await this.#access.script(GUESTS, 'take', [...this.#keysOf(requestId), ...keys], all, late => {
      // Its request was answered that the store is down.
      if (late[0] === 'taken') this.undo(admission, readTaken(late)).catch(() => {})
    })
    const [outcome] = reply
    if (outcome === 'taken') return readTaken(reply)
    if (outcome === 'refused') return { outcome, isGuests: reply[4] === 'guests-spent', reply }
    if (outcome === 'counters-missing') return { outcome, claims: part, reply }
    throw new Error(`the script that takes shares answered ${outcome}`)
  }

  /** Its account did not admit it: nothing of it counts, its request neither. A trial took nothing. */
  async undo({ requestId, claims, isTrial }: Admission, { uses, held }: TakenShare): Promise<void> {
    if (isTrial) return
    const { rules = [] } = sharedPart(claims)
    // One that was taken before keeps the cells of that time.
    const taken =
      held?.taken ?? rules.map(({ group, field }, place) => ({ group, field, cell: uses[place]?.index ?? 0 }))
    await this.#give({ requestId }, 'undo', taken.length > 0 ? { weight: NO_WEIGHT, taken } : undefined)
  }

  /** Lowers the hold to its present round, after the account granted less output, or no further round. */
  async weigh(hold: Hold, claims: Claims): Promise<void> {
    const input = hold.tokens - hold.output * claims.output.choices
    const part = { ...sharedPart(claims), input }
    const { keys, values } = endedRules(this.#access.layout, { ...sharedOf(hold), account: GUESTS }, undefined, true)
    const { tokens, cost } = hold.spent
    // The weight tells how much of the earlier rounds were prompts.
    const prompts = (hold.rules?.weight.input ?? input) - input
    const own = [hold.requestId, claimsText(part), hold.output, tokens, cost, prompts, values[0] ?? '', hold.round]
    await this.#access.script(GUESTS, 'weigh', [...this.#keysOf(hold.requestId), ...keys], own)
  }

  /** Another round, under the lease that it has. */
  async extend(extension: Extension): Promise<Extended | Pick<Refused, 'denial'>> {
    const { hold, round, soFar, claims } = extension
    const more = extensionOf(sharedPart(claims))
    const { keys, values } = extendedRules(this.#access.layout, { ...extension, hold: sharedOf(hold) }, more)
    const { tokens, cost } = chargeOf(soFar)
    const own = [round, tokens, cost, claimsText(more)]
    const all = [...own, ...(values.length > 0 ? values : ['', '', '0'])]
    const reply = await this.#access.script(GUESTS, 'more', [...this.#keysOf(hold.requestId), ...keys], all)
    const [outcome, text = '', cells = ''] = reply
    if (outcome === 'extended')
      return { outcome, output: readOutput(text), cells: readUses(cells).map(({ index }) => index) }
    if (outcome !== 'refused') return { outcome: 'ended' }
    const [kind, wait, place] = reply.slice(4)
    const rule = more.rules?.[Number(place) - 1]?.rule
    if (!rule) throw new Error(`the script of shared limits refuses by ${kind} ${place}, which is not claimed`)
    return { denial: kind === 'rule' ? refusedBy(rule, Number(wait)) : heldBy(rule) }
  }

  /** Renews its lease; where its server took over without it, or swept it up, it holds again what it held. */
  async renew(hold: Hold, soFar: Settlement | undefined): Promise<void> {
    const { requestId, account } = hold
    const [name, leases] = this.#keysOf(requestId)
    const checkpoint = soFar ? checkpointText(soFar) : ''
    const [outcome] = await this.#access.script(GUESTS, 'heartbeat', [name, leases], [LEASE_MS, requestId, checkpoint])
    const isLost = outcome === 'ended' && this.#access.mayBeLost(GUESTS, hold.at)
    if (outcome !== 'orphan' && !isLost) return
    const { keys, values } = adoptedRules(this.#access.layout, { ...sharedOf(hold), account: GUESTS })
    if (!isLost) {
      const [counters = '', , weight = ''] = values
      const again = [LEASE_MS, requestId, checkpoint, counters, weight]
      await this.#access.script(GUESTS, 'resumeShare', [...this.#keysOf(requestId), ...keys], again)
      return
    }
    const all = [
      LEASE_MS,
      requestId,
      account,
      holdText(hold),
      checkpoint,
      ...(values.length > 0 ? values : ['', '', '']),
    ]
    await this.#access.script(GUESTS, 'adoptShare', [...this.#keysOf(requestId), ...keys], all)
  }

  /** Ends those whose lease expired, at their last checkpoint. */
  async sweep(): Promise<void> {
    const { ask, layout, now } = this.#access
    const leases = layout.guests.sharedLeases
    const at = await now(leases)
    const LIMIT = { offset: 0, count: PAGE }
    for (;;) {
      const due = await ask(leases, client => client.zRange(leases, '-inf', at, { BY: 'SCORE', LIMIT }))
      const ended = await Promise.all(due.map(requestId => this.#sweepOne(requestId)))
      if (due.length < PAGE || !ended.includes(true)) return
    }
  }

  async #sweepOne(requestId: string): Promise<boolean> {
    const { ask } = this.#access
    const [name, leases] = this.#keysOf(requestId)
    const texts = await ask(name, client => client.hmGet(name, [...HOLD_FIELDS]))
    const { hold, checkpoint, rules, cells, weight } = holdTexts(texts)
    if (!hold) {
      // A lease without a hold is only removed.
      await ask(leases, client => client.zRem(leases, requestId))
      return false
    }
    await this.#give(
      { requestId },
      'orphan',
      readHeldRules([rules, cells, weight]),
      checkpoint ? readCheckpoint(checkpoint) : undefined,
    )
    return true
  }

  /** Gives a part back without repeating it to a successor. */
  async #give(...part: Given): Promise<void> {
    const { account, name, keys, values } = giveCall(this.#access.layout, ...part)
    await this.#access.script(account, name, keys, values)
  }

  #keysOf(requestId: string): readonly [string, string, string] {
    return keysOf(this.#access.layout, requestId)
  }
}

/** The end of what a request holds of limits that accounts share, or joined of them; undefined where that is nothing. */
export function endedShare(layout: Layout, hold: Hold, settlement?: Settlement): EndCall | undefined {
  const { joined, ...rest } = settlement ?? {}
  const shared = joined?.filter(isShared) ?? []
  if (!layout.isCluster || (!hold.apart && shared.length === 0)) return undefined
  const part = settlement && { ...rest, ...(shared.length > 0 && { joined: shared }) }
  const how = hold.apart ? (settlement ? 'settle' : 'refund') : 'join'
  return giveCall(layout, hold, how, hold.apart ? sharedOf(hold).rules : undefined, part)
}

type Given = [
  hold: Pick<Hold, 'requestId'> & Partial<Pick<Hold, 'at'>>,
  how: How,
  rules: HeldRules | undefined,
  settlement?: Partial<Settlement>,
]

function giveCall(layout: Layout, ...[hold, how, rules, settlement]: Given): EndCall {
  const { requestId, at = 0 } = hold
  const whose = { account: GUESTS, ...(rules && { rules }) }
  const { keys, values, watched } = endedRules(layout, whose, settlement && sharedWatches(settlement), true)
  const { tokens = 0, bill } = settlement ?? {}
  const charge = [tokens, bill?.cost ?? 0, bill?.inputTokens ?? 0]
  const [asked = '', pieces = '0 0'] = values
  return {
    account: GUESTS,
    name: 'give',
    keys: [...keysOf(layout, requestId), ...keys],
    values: [requestId, how, ...charge, asked, pieces, at, ...(watched === '' ? [] : [watched])],
  }
}

/** A settlement without the limits of the account that notices are about. */
function sharedWatches({ watches, ...settlement }: Partial<Settlement>): Partial<Settlement> {
  const shared = watches?.filter(({ counter }) => typeof counter === 'object' && isShared(counter)) ?? []
  return shared.length > 0 ? { ...settlement, watches: shared } : settlement
}

function keysOf({ guests }: Layout, requestId: string): readonly [string, string, string] {
  return [guests.sharedHold(requestId), guests.sharedLeases, guests.guestSpend]
}

/** The share that an admission got of limits that accounts share, or why it got none. */
export type Taken =
  | TakenShare
  | { readonly outcome: 'refused'; readonly isGuests: boolean; readonly reply: Reply }
  | { readonly outcome: 'counters-missing'; readonly claims: Claims; readonly reply: Reply }

export interface TakenShare {
  readonly outcome: 'taken'
  readonly output: number
  /** The use of each of its limits. */
  readonly uses: readonly RuleUse[]
  /** The counts of a request that took its share before. */
  readonly held?: HeldRules | undefined
  readonly isAgain: boolean
}

const readTaken = ([, text = '', sums = '', again, ...kept]: Reply): TakenShare => ({
  outcome: 'taken',
  output: readOutput(text),
  uses: sums === '' ? [] : readUses(sums),
  held: readHeldRules(kept),
  isAgain: again === 'again',
})

type How = 'settle' | 'refund' | 'orphan' | 'undo' | 'join'

type Extended =
  | { readonly outcome: 'extended'; readonly output: number; readonly cells: readonly number[] }
  | { readonly outcome: 'ended' }

const isShared = ({ group }: CounterName): boolean => isSharedGroup(group)

/** Whether a request meets limits that accounts share. */
export const meetsShared = ({ claims, shared }: Admission): boolean =>
  shared !== undefined || (claims.rules?.some(isShared) ?? false)

/** The claims on what accounts share, and nothing else. */
function sharedPart({ rules = [], spend, ...claims }: Claims): Claims {
  const { limit: _own, ...price } = spend
  const shared = rules.filter(isShared)
  return { ...claims, limits: [], spend: price, ...(shared.length > 0 && { rules: shared }) }
}

/** The claims on what an account has alone. */
export function ownPart({ rules, ...claims }: Claims, want = claims.output.want): Claims {
  const own = rules?.filter(claim => !isShared(claim)) ?? []
  return { ...claims, output: { ...claims.output, want }, ...(own.length > 0 && { rules: own }) }
}

/** A hold with the counters that accounts share, or with those of its account alone. */
export const sharedOf = (hold: Hold): Hold => withRules(hold, isShared)
export const ownOf = (hold: Hold): Hold => withRules(hold, cell => !isShared(cell))

function withRules({ rules, ...hold }: Hold, wanted: (cell: HeldRules['taken'][number]) => boolean): Hold {
  const taken = rules?.taken.filter(wanted) ?? []
  return rules && taken.length > 0 ? { ...hold, rules: { ...rules, taken } } : hold
}

/** The uses of both parts, each at the place of its claim. */
export function mergedUses(claims: Claims, own: readonly RuleUse[], shared: readonly RuleUse[]): readonly RuleUse[] {
  const left = { own: [...own], shared: [...shared] }
  return (claims.rules ?? []).map(
    claim => (isShared(claim) ? left.shared : left.own).shift() ?? { index: 0, used: 0, held: 0 },
  )
}

const NO_WEIGHT: HeldRules['weight'] = { input: 0, output: 0, images: 0, seconds: 0, cost: NOTHING.cost }
const readOutput = (text: string): number => Number(text.split(' ')[0])
/** Leases that are looked at together. */
const PAGE = 100
