import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AdmittedCall } from '../../../../../src/gateway/admission/admit.ts'
import { addedRules, beginAhead } from '../../../../../src/gateway/admission/begin-ahead.ts'
import { joinedRules } from '../../../../../src/gateway/admission/joined-rules.ts'
import { beginCounters } from '../../../../../src/gateway/store/begin-counters.ts'
import { chargeOf } from '../../../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import type { Config } from '../../../../../src/policy/config.ts'
import type { Charge, Hold } from '../../../../../src/policy/counters/account-counters.ts'
import { amountOf, weightOfCharge } from '../../../../../src/policy/counters/weight.ts'
import type { Caller } from '../../../../../src/policy/facts.ts'
import { LIMIT_SCOPES, type LimitRule, MEASURES } from '../../../../../src/policy/limits/rule.ts'
import { claimsOfRules, isKnownToLedger } from '../../../../../src/policy/limits/rule-claim.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import type { Start } from '../../contract.ts'
import { admission, claimsOf, extension, openShop, type Shop, settlement } from '../../fixtures.ts'

/** Limits that the ledger knows, of windows that hold all of a run. */
const LIMITS: readonly LimitRule[] = MEASURES.flatMap(measure =>
  (['hour', 'day', 'month', '30d'] as const).flatMap(per =>
    LIMIT_SCOPES.flatMap(of => [{}, { model: 'm1' }].map(model => ({ measure, most: 1e15, per, of, ...model }))),
  ),
).filter(isKnownToLedger)

type Step =
  | { readonly do: 'admit'; readonly who: number; readonly model: number }
  | { readonly do: 'settle' | 'extend'; readonly which: number; readonly tokens: number }
  | { readonly do: 'reload'; readonly adds: readonly number[]; readonly drops: readonly number[] }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('admit' as const), who: fc.nat(2), model: fc.nat(1) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('settle' as const, 'settle' as const, 'extend' as const),
        ...{ which: fc.nat(9), tokens: fc.integer({ min: 10, max: 40 }) },
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('reload' as const),
        adds: fc.uniqueArray(fc.nat(LIMITS.length - 1), { minLength: 1, maxLength: 12 }),
        drops: fc.array(fc.nat(9), { maxLength: 2 }),
      }),
    },
  ),
  { minLength: 20, maxLength: 60, size: 'max' },
)

/** Whatever comes when, a limit that a reload adds has counted what its requests were charged. */
export function reloadsContract(start: Start): void {
  it('limits that reloads add are what requests were charged, before, meanwhile and since', async () => {
    const { store } = await start()
    let run = 0
    await fc.assert(
      fc.asyncProperty(steps, async all => {
        const site = await Site.open(store, ++run)
        for (const step of all) await site.do(step)
        await site.end()
        expect(await site.used()).toEqual(site.expected())
      }),
      { numRuns: 6 },
    )
  })
}

interface Running {
  readonly call: AdmittedCall
  readonly who: Member
  readonly model: string
  hold: Hold
  charge?: Charge
}

interface Member extends Shop {
  readonly caller: Caller
}

/** Gateways of one store that take the same files at once, and three accounts, two of one org. */
class Site {
  readonly #store: Store
  readonly #run: number
  readonly #members: readonly Member[]
  readonly #all: Running[] = []
  readonly #was = new Set<LimitRule>()
  #rules: readonly LimitRule[] = []
  #config: Config
  #revision = 0

  /** Groups and accounts have names of their own in each run. */
  private constructor(store: Store, run: number, members: readonly Member[]) {
    this.#store = store
    this.#run = run
    this.#members = members
    this.#config = this.#configOf([])
  }

  static async open(store: Store, run: number): Promise<Site> {
    const org = `acme${run}`
    await store.orgs.open(org)
    const members = ['ada', 'bob', 'cyd'].map(async (label, place) => {
      const shop = await openShop(store, `${label}${run}`, `plan${run}`)
      const { account } = shop
      const change = { account, change: { org }, by: 'operator' }
      const terms = place < 2 ? ((await store.accounts.changeTerms(change))?.terms ?? shop.terms) : shop.terms
      const ofOrg = place < 2 ? { orgTerms: {} } : {}
      const caller: Caller = {
        kind: 'developer',
        account,
        keyPrefix: '',
        terms,
        key: { id: `key_${account}` },
        ...ofOrg,
      }
      return { ...shop, terms, ...ofOrg, caller }
    })
    return new Site(store, run, await Promise.all(members))
  }

  async do(step: Step): Promise<void> {
    if (step.do === 'admit') return this.#admit(this.#members[step.who], `m${step.model}`)
    if (step.do === 'reload') return this.#reload(step.adds, step.drops)
    const open = this.#all.filter(({ charge }) => !charge)
    const running = open[step.which % open.length]
    if (running && step.do === 'settle') await this.#settle(running, step.tokens)
    else if (running) await this.#extend(running)
  }

  async end(): Promise<void> {
    for (const running of this.#all) if (!running.charge) await this.#settle(running, 20)
  }

  async used(): Promise<readonly string[]> {
    const read = this.#each(async (rule, { account }, claims) => {
      const [reading] = await this.#store.holds.readRules(account, { rules: claims })
      // The ledger knows all of a counter that has not begun.
      return reading && reading.cells.length > 0 ? `${reading.used}+${reading.held}` : this.#sum(rule, account)
    })
    return Promise.all(read)
  }

  expected(): readonly string[] {
    return this.#each((rule, { account }) => this.#sum(rule, account))
  }

  #each<T>(of: (rule: LimitRule, member: Member, claims: ReturnType<typeof claimsOfRules>) => T): T[] {
    return this.#rules.flatMap(rule =>
      this.#members.flatMap(member => {
        const claims = claimsOfRules([rule], member.caller, { plan: this.#plan })
        return claims.length === 0 ? [] : [of(rule, member, claims)]
      }),
    )
  }

  #sum({ measure, of, model }: LimitRule, account: string): string {
    const counted = this.#all.filter(({ who, model: asked }) => {
      if (model !== undefined && model !== asked) return false
      if (of === 'org') return who.terms.org !== undefined
      return of === 'plan' || of === 'everybody' || who.account === account
    })
    const charges = counted.flatMap(({ charge }) => (charge ? [charge] : []))
    return `${charges.reduce((sum, charge) => sum + amountOf(measure, weightOfCharge(charge)), 0)}+0`
  }

  get #plan(): string {
    return `plan${this.#run}`
  }

  #configOf(rules: readonly LimitRule[]): Config {
    const plan = { name: this.#plan, rules: rules.map(rule => ({ rule })), counts: [] }
    const models = new Map(['m0', 'm1'].map(name => [name, { name, tier: 'basic', kind: 'chat' }]))
    const revision = `r${++this.#revision}`
    return { revision, models, plans: new Map([[plan.name, plan]]), defaultPlan: plan } as unknown as Config
  }

  /** A row that was taken out is not written again. */
  async #reload(adds: readonly number[], drops: readonly number[]): Promise<void> {
    const added = adds.flatMap(place => LIMITS[place] ?? []).filter(rule => !this.#was.has(rule) && this.#mayBe(rule))
    for (const rule of added) this.#was.add(rule)
    this.#rules = [...this.#rules.filter((_, place) => !drops.includes(place)), ...added]
    const next = this.#configOf(this.#rules)
    await beginAhead(next, this.#store, addedRules(next, this.#config), this.#now)
    this.#config = next
  }

  /** Runs share one counter of everybody. */
  #mayBe({ of }: LimitRule): boolean {
    return of !== 'everybody'
  }

  readonly #now = Date.UTC(2025, 5, 16, 12)

  async #admit(who: Member | undefined, model: string): Promise<void> {
    if (!who) return
    const requestId = `req_${this.#run}_${String(this.#all.length).padStart(4, '0')}`
    const subject = { plan: this.#plan, model: { name: model, tier: 'basic' } }
    const rules = claimsOfRules(this.#rules, who.caller, subject)
    const claims = { ...claimsOf(), ...(rules.length > 0 && { rules }) }
    const { caller, ...shop } = who
    const asked = admission(shop, requestId, claims)
    let admitted = await this.#store.holds.admit(asked)
    if (!('denial' in admitted) && admitted.outcome === 'counters-missing') {
      const { account } = who
      await beginCounters(this.#config, this.#store, { ...admitted, account, claims: rules })
      admitted = await this.#store.holds.admit(asked)
    }
    if (!('hold' in admitted)) throw new Error(JSON.stringify(admitted))
    const { hold } = admitted
    const decision = { claims, model: { name: model }, plan: { name: this.#plan } }
    const call = { caller, request: {}, decision, hold, revision: this.#config.revision } as unknown as AdmittedCall
    this.#all.push({ call, who, model, hold })
  }

  async #extend(running: Running): Promise<void> {
    const { claims } = running.call.decision
    const extended = await this.#store.holds.extend({
      ...extension(running.hold, { tokens: 12, cost: nanoUsd(14) }),
      claims,
    })
    if ('hold' in extended) running.hold = extended.hold
  }

  async #settle(running: Running, tokens: number): Promise<void> {
    const { call, hold, who, model } = running
    const { bill, ...others } = settlement(hold, { tokens, cost: nanoUsd(2 * tokens) })
    const joined = joinedRules(this.#config, call)
    const key = `key_${who.account}`
    const settled = { ...others, bill: { ...bill, plan: this.#plan, model, key }, ...(joined && { joined }) }
    await this.#store.holds.settle(settled)
    running.charge = chargeOf(settled)
  }
}
