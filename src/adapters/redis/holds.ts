import type { CallerCache } from '../../gateway/store/caller-cache.ts'
import {
  type Admission,
  type Admitted,
  type BegunCounter,
  chargeOf,
  type Extended,
  type Extension,
  type Heartbeat,
  type HoldStore,
  LEASE_MS,
  type Settlement,
} from '../../gateway/store/hold-store.ts'
import type { Hold } from '../../policy/counters/account-counters.ts'
import { extensionOf } from '../../policy/counters/judge.ts'
import { heldRules } from '../../policy/counters/rule-hold.ts'
import { type Claims, keyOfWindow, type Window } from '../../policy/decision.ts'
import { isSharedGroup } from '../../policy/limits/rule-claim.ts'
import type { RuleReading } from '../../policy/limits/rule-counter.ts'
import { ZERO_USD } from '../../policy/nano-usd.ts'
import type { Access } from './access.ts'
import type { Reply } from './client.ts'
import { claimsText, readGuestsSpent, readReadings, readRefusal, readTerms, termsText } from './codec.ts'
import { CrossSlotHolds } from './cross-slot-holds.ts'
import { admissionText, type HoldEndings } from './hold-endings.ts'
import { checkpointText, holdText, readHold } from './hold-text.ts'
import { chunksOf, GUESTS } from './layout.ts'
import type { RedisOrgs } from './orgs.ts'
import {
  adoptedRules,
  begunRules,
  claimedRules,
  extendedRules,
  olderField,
  readExtendedRules,
  readHeldRules,
  readingOf,
  readMissing,
  readUses,
} from './rule-texts.ts'
import { meetsShared, ownOf, SharedHolds } from './shared-holds.ts'

/** Admit, extend and settle are one Lua script each, on the account's bucket. */
export class RedisHolds implements HoldStore {
  readonly #access: Access
  readonly #endings: HoldEndings
  readonly #orgs: RedisOrgs
  readonly #callers: CallerCache
  readonly #shared: SharedHolds
  readonly #crossSlot: CrossSlotHolds

  constructor(access: Access, endings: HoldEndings, orgs: RedisOrgs, callers: CallerCache) {
    this.#access = access
    this.#endings = endings
    this.#orgs = orgs
    this.#callers = callers
    this.#shared = new SharedHolds(access)
    this.#crossSlot = new CrossSlotHolds(access, this.#shared, {
      admit: admission => this.#admitAlone(admission),
      extend: extension => extendHold(access, extension),
      readRules: (account, claims) => this.readRules(account, claims),
      refund: hold => this.refund(hold),
    })
  }

  async admit(admission: Admission): Promise<Admitted> {
    const admitted = await this.#admit(admission)
    this.#callers.admitted(admission.keyHash, admitted)
    if ('denial' in admitted || admitted.outcome !== 'stale') return admitted
    // The next admission compares them again.
    const orgTerms = await this.#orgs.termsFor(admitted.terms)
    return orgTerms ? { ...admitted, orgTerms } : admitted
  }

  #admit(admission: Admission): Promise<Admitted> {
    const { isCluster } = this.#access.layout
    if (isCluster && (admission.terms.org !== undefined || meetsShared(admission)))
      return this.#crossSlot.admit(admission)
    return this.#admitAlone(admission)
  }

  #admitAlone(admission: Admission): Promise<Admitted> {
    return admit(this.#access, admission, hold => {
      // The client was answered that the store is down, so that this hold would never be settled.
      if (!admission.isTrial) this.refund(hold).catch(() => {})
    })
  }

  async extend(extension: Extension): Promise<Extended> {
    if (extension.hold.apart) return this.#crossSlot.extend(extension)
    return (await extendHold(this.#access, extension)).extended
  }

  async heartbeat(heartbeats: readonly Heartbeat[]): Promise<readonly string[]> {
    const failed: unknown[] = []
    const resumed: string[] = []
    for (const page of chunksOf(heartbeats, HEARTBEATS_AT_ONCE)) {
      const renewed = await Promise.allSettled(page.map(one => this.#renew(one)))
      for (const [place, one] of renewed.entries()) {
        if (one.status === 'rejected') failed.push(one.reason)
        else if (one.value === 'resumed') resumed.push(page[place]?.hold.requestId ?? '')
      }
    }
    // Only now: one that fails must not let the leases of others run out.
    if (failed.length > 0) throw failed[0]
    return resumed
  }

  async beginCounters(account: string, begun: readonly BegunCounter[]): Promise<void> {
    const { isCluster } = this.#access.layout
    const isShared = ({ name }: BegunCounter) => isCluster && isSharedGroup(name.group)
    const begin = async (place: string, some: readonly BegunCounter[]) => {
      if (some.length === 0) return
      const { keys, values } = begunRules(this.#access.layout, account, some)
      await this.#access.script(place, 'begin', keys, values)
    }
    await Promise.all([
      begin(
        account,
        begun.filter(each => !isShared(each)),
      ),
      begin(GUESTS, begun.filter(isShared)),
    ])
  }

  async readRules(account: string, { rules = [] }: Pick<Claims, 'rules'>): Promise<readonly RuleReading[]> {
    if (rules.length === 0) return []
    const { layout, ask } = this.#access
    const counters = rules.map(claim => ({ claim, key: layout.rules(account, claim.group) }))
    const clockOf = await this.#access.clocksOf(counters.map(({ key }) => key))
    return Promise.all(
      counters.map(async ({ claim, key }) => {
        const fields = [claim.field, olderField(claim.field)]
        const [newest, older] = await ask(key, client => client.hmGet(key, fields))
        return readingOf(claim, newest, older, clockOf(key))
      }),
    )
  }

  settle(settlement: Settlement): Promise<void> {
    return this.#endings.end({ settle: settlement })
  }

  refund(hold: Hold): Promise<void> {
    return this.#endings.end({ refund: hold })
  }

  sweep(): Promise<number> {
    return this.#endings.sweep()
  }

  async #renew(heartbeat: Heartbeat): Promise<'resumed' | undefined> {
    const { hold, soFar } = heartbeat
    const { account, requestId } = hold
    const bucket = this.#access.layout.of(account)
    const values = [LEASE_MS, requestId, soFar ? checkpointText(soFar) : '']
    // Together: a rejection that nothing waits for yet ends the process.
    const [[outcome]] = await Promise.all([
      this.#access.script(account, 'heartbeat', [bucket.hold(requestId), bucket.leases], values),
      hold.apart && this.#shared.renew(hold, soFar),
    ])
    if (outcome === 'orphan') return this.#resume(heartbeat)
    if (outcome === 'ended' && this.#access.mayBeLost(account, hold.at)) await this.#adopt(hold, soFar)
    return undefined
  }

  /** Counts a request again whose lease ran out while this gateway, or Redis, stood still. */
  async #resume({ hold: whole, soFar }: Heartbeat): Promise<'resumed' | undefined> {
    const { hold, rules, counted, minute } = this.#placesOf(whole)
    const { requestId, account } = hold
    const keys = [...counted, this.#access.layout.guestSpend(account), minute, ...rules.keys]
    const [counters, , weight] = rules.values
    const held = counters === undefined || weight === undefined ? [] : [counters, weight]
    const values = [LEASE_MS, requestId, soFar ? checkpointText(soFar) : '', ...held]
    const [outcome] = await this.#access.script(account, hold.rules ? 'resumeWithRules' : 'resume', keys, values)
    return outcome === 'resumed' ? outcome : undefined
  }

  /** Lets a server that took over know a request that runs. */
  async #adopt(whole: Hold, soFar: Settlement | undefined): Promise<void> {
    const { hold, rules, counted, minute } = this.#placesOf(whole)
    const { requestId, account, window } = hold
    const keys = [...counted, minute, ...rules.keys]
    const values = [
      ...[LEASE_MS, requestId, account, window, holdText(hold), soFar ? checkpointText(soFar) : ''],
      ...[admissionText(hold), ...rules.values],
    ]
    await this.#access.script(account, hold.rules ? 'adoptWithRules' : 'adopt', keys, values)
  }

  /** The part of a hold that lies in the bucket of its account, and the keys at which it is counted there. */
  #placesOf(whole: Hold) {
    const hold = whole.apart ? ownOf(whole) : whole
    const { requestId, account, window } = hold
    const { layout } = this.#access
    const bucket = layout.of(account)
    const counted = [
      ...[bucket.counters(account), bucket.spend(account, window), bucket.hold(requestId), bucket.leases],
      bucket.ledger,
    ]
    return { hold, rules: adoptedRules(layout, hold), counted, minute: bucket.minute(account) }
  }
}

/** The end of a window, and its start where another moment is the key of its spend. */
const windowEndText = ({ start, end, key }: Window): string | number => (key === undefined ? end : `${end} ${start}`)

/** Requests whose leases are renewed together. */
const HEARTBEATS_AT_ONCE = 256

/** One admission. `late` gets a hold whose answer arrived after the call was given up. */
async function admit(
  access: Access,
  { requestId, keyHash, account, terms, orgTerms, claims, shared, isTrial }: Admission,
  late: (hold: Hold) => void,
): Promise<Admitted> {
  const bucket = access.layout.of(account)
  const { window } = claims.spend
  const rules = claimedRules(access.layout, account, claims)
  const keys = [
    keyHash === undefined ? bucket.account(account) : bucket.key(keyHash),
    bucket.account(account),
    bucket.counters(account),
    bucket.spend(account, keyOfWindow(window)),
    bucket.hold(requestId),
    bucket.leases,
    access.layout.guestSpend(account),
    bucket.minute(account),
    ...(terms.org === undefined || access.layout.isCluster ? [] : [access.layout.org(terms.org)]),
    ...rules.keys,
  ]
  const values = [
    ...[isTrial ? 0 : LEASE_MS, requestId, account, termsText(terms), keyOfWindow(window), windowEndText(window)],
    ...[keyHash === undefined ? 'sign-in' : 'key', shared ? shared.limit : '', claimsText(claims)],
    orgTerms ? termsText(orgTerms) : '',
    ...rules.values,
  ]
  // The script answers with the window and the rules of the first call, also for a repetition.
  const held = ([, text = '', , start, uses = '', ...kept]: Reply): Hold => {
    const names = { requestId, account, window: Number(start) }
    if (uses === '') return readHold(text, names, readHeldRules(kept))
    return readHold(text, names, heldRules(claims, readHold(text, names), readUses(uses)))
  }
  const script = claims.rules ? 'admitWithRules' : 'admit'
  const reply = await access.script(account, script, keys, values, answer => {
    if (answer[0] === 'admitted') late(held(answer))
  })
  const [outcome, one = '', two = ''] = reply
  switch (outcome) {
    case 'admitted': {
      const [, , , , uses = ''] = reply
      return { outcome, hold: held(reply), readings: readReadings(two), ...(uses !== '' && { rules: readUses(uses) }) }
    }
    case 'counters-missing':
      return { outcome, counters: readMissing(reply, claims), at: Number(one) }
    case 'refused':
      return readRefusal(reply, claims)
    case 'stale':
      return { outcome, terms: readTerms(one), at: Number(two) }
    case 'guests-spent':
      return { outcome, ...readGuestsSpent(reply, shared?.limit ?? ZERO_USD, claims) }
    case 'key-gone':
      return { outcome }
    default:
      throw new Error(`the admission script answered ${outcome}`)
  }
}

/** Another round of a running request. */
/** `isAgain`: the account already has this round, so its lease is unchanged. */
async function extendHold(
  access: Access,
  extension: Extension,
): Promise<{ readonly extended: Extended; readonly isAgain: boolean }> {
  const { hold, round, soFar, claims } = extension
  const { requestId, account, window } = hold
  const more = extensionOf(claims)
  const rules = extendedRules(access.layout, extension, more)
  const bucket = access.layout.of(account)
  const keys = [
    bucket.counters(account),
    bucket.spend(account, window),
    bucket.hold(requestId),
    bucket.leases,
    access.layout.guestSpend(account),
    bucket.minute(account),
    ...rules.keys,
  ]
  const { tokens, cost } = chargeOf(soFar)
  const values = [
    ...[LEASE_MS, requestId, round, tokens, cost],
    ...[checkpointText(soFar), claimsText(more), ...rules.values],
  ]
  const reply = await access.script(account, rules.values.length > 0 ? 'extendWithRules' : 'extend', keys, values)
  const [outcome, text = '', weight = '', cells = '', again] = reply
  if (outcome === 'extended') {
    const next = readHold(text, hold)
    const rules = weight && hold.rules && readExtendedRules(hold.rules, weight, cells)
    return { extended: { outcome, hold: rules ? { ...next, rules } : next }, isAgain: again === 'again' }
  }
  if (outcome !== 'refused') return { extended: { outcome: 'ended' }, isAgain: false }
  const { denial, readings } = readRefusal(reply, more)
  return { extended: { denial, readings }, isAgain: false }
}
