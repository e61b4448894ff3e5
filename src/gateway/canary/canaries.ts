import type { CanaryRules, Config, EpochMs, Millis, Model } from '../../policy/config.ts'
import { figuresOf, figuresText } from '../../policy/traffic/canary.ts'
import type { Audited } from '../accounts/audited.ts'
import type { ComparedOutcome, Pools } from '../pools/pools.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { FleetState, FleetStore } from '../store/fleet-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { every } from '../timers.ts'
import { type CanaryOutcome, type CanaryRecord, judged, recordIn, withOutcomes } from './record.ts'

export interface CanariesPorts {
  readonly store: Pick<FleetStore, 'readCanaries' | 'setCanary' | 'setDrained'>
  readonly pools: Pools
  readonly clock: Clock
  readonly alarm: Alarm
  readonly audited: Audited
  readonly config: () => Config
  /** Called for each pool that is drained. */
  readonly changed: (pool: string) => void
  /** The fleet as last read from the store, and a way to read it again soon. */
  readonly fleet: { readonly state: FleetState | undefined; announceSoon(): Promise<void> }
}

/** A canary as the files declare it. */
export interface DeclaredCanary {
  readonly model: string
  readonly pool: string
  readonly rules: CanaryRules
}

interface Comparison extends DeclaredCanary {
  /** The stored record; undefined if there is none. */
  text: string | undefined
  /** The record, including outcomes not yet stored. */
  record: CanaryRecord
  pending: CanaryOutcome[]
  /** When it began or was reset here. */
  since: EpochMs
  /** Whether the stop was announced to operators. */
  isTold: boolean
  /** Whether this process sends it no requests while its stop is being stored. */
  isHeld: boolean
}

/** How often gateways exchange counts. */
const PERIOD: Millis = 400
/** While the store is away, older outcomes are dropped: the verdict does not need them. */
const MOST_PENDING = 20_000
/** How often a write is retried when gateways collide; the next round continues. */
const TRIES = 8

/**
 * Compares canaries with the pools beside them, over all gateways on the store, and drains the pool of a canary that
 * breaks its rules. Main does it for its workers. The store keeps the counts; killing a process loses those of its last
 * half second.
 */
export class Canaries {
  readonly #ports: CanariesPorts
  readonly #comparisons = new Map<string, Comparison>()
  #last: Promise<void> = Promise.resolve()
  #stop: Cancel = () => {}

  constructor(ports: CanariesPorts) {
    this.#ports = ports
  }

  /** Exchanges counts with the store from now on. */
  start(): void {
    void this.exchange()
    this.#stop = every(this.#ports.clock, PERIOD, () => this.exchange())
  }

  /** Writes pending outcomes. */
  async close(): Promise<void> {
    this.#stop()
    await this.exchange()
  }

  /** Counts a request that ended at a canary's pool or its control. */
  add({ model, pool, ejectedAt, ...outcome }: ComparedOutcome): void {
    for (const canary of declaredCanaries(this.#ports.config())) {
      // A pool ejected before an operator undrained it gets a fresh trial.
      if (canary.model !== model || (ejectedAt ?? Infinity) < this.#comparison(canary).since) continue
      if (pool === canary.pool) this.#count(canary, { side: 'canary', outcome })
      else if (pool === canary.rules.against) this.#count(canary, { side: 'control', outcome })
    }
  }

  /** The state of a canary as this gateway knows it. */
  recordOf(model: string, pool: string): CanaryRecord | undefined {
    return this.#comparisons.get(nameOf({ model, pool }))?.record
  }

  /** Resets the canaries at a pool that an operator is about to undrain; call it first. Rejects with StoreUnavailable. */
  async begin(pool: string): Promise<void> {
    const { store } = this.#ports
    await this.#last
    for (const [name, text] of Object.entries(await store.readCanaries())) {
      if (!name.endsWith(` ${pool}`)) continue
      let known: string | undefined = text
      while (known !== undefined && !(await store.setCanary(name, undefined, known)))
        known = (await store.readCanaries())[name]
    }
    for (const comparison of this.#comparisons.values()) {
      if (comparison.pool !== pool) continue
      comparison.pending = []
      this.#adopt(comparison, undefined)
    }
  }

  /** Writes this gateway's counts and reads those of others. Never rejects. */
  exchange(): Promise<void> {
    this.#last = this.#last
      .then(() => this.#exchange())
      .catch(error => {
        if (!(error instanceof StoreUnavailable))
          this.#ports.alarm('a canary cannot be compared', { error: String(error) })
      })
    return this.#last
  }

  async #exchange(): Promise<void> {
    const { store, fleet, config } = this.#ports
    const declared = declaredCanaries(config())
    this.#forget(declared)
    if (declared.length === 0) return
    // Read before the counts: an operator's reset comes before the undrain.
    const drained = fleet.state?.drained
    const texts = await store.readCanaries()
    for (const canary of declared) {
      const comparison = this.#comparison(canary)
      this.#adopt(comparison, texts[nameOf(canary)])
      const wasStopped = comparison.record.stopped !== undefined
      await this.#write(comparison)
      const isDrained = drained?.some(place => place.pool === canary.pool && place.replica === undefined)
      // A gateway killed between the two steps of a stop left the pool in use.
      if (wasStopped && isDrained === false) await this.#drain(canary.pool)
      else if (!comparison.record.stopped && isDrained === false) this.#release(comparison)
    }
  }

  /** Resumes a canary that seemed to break a rule by this gateway's counts alone. */
  #release(comparison: Comparison): void {
    const { pool, pending, isHeld } = comparison
    if (!isHeld || pending.length > 0) return
    comparison.isHeld = false
    this.#ports.pools.drain(pool, undefined, false)
  }

  #comparison(canary: DeclaredCanary): Comparison {
    const name = nameOf(canary)
    const known = this.#comparisons.get(name)
    if (known) return Object.assign(known, { rules: canary.rules })
    const record = recordIn(undefined, canary.rules)
    const begun: Comparison = {
      ...canary,
      text: undefined,
      record,
      pending: [],
      since: this.#ports.clock.now(),
      isTold: false,
      isHeld: false,
    }
    this.#comparisons.set(name, begun)
    return begun
  }

  #count(canary: DeclaredCanary, outcome: CanaryOutcome): void {
    const comparison = this.#comparison(canary)
    if (comparison.record.stopped) return
    comparison.pending.push(outcome)
    if (comparison.pending.length > MOST_PENDING) comparison.pending.shift()
    comparison.record = withOutcomes(comparison.record, [outcome])
    if (!mayBreak(comparison, outcome)) return
    const { pools, clock } = this.#ports
    if (!judged(comparison.record, canary.rules, clock.now()).stopped) return
    // If the counts of all gateways break no rule, the pool is used again.
    comparison.isHeld = true
    pools.drain(canary.pool, undefined, true)
    void this.exchange()
  }

  /** Stores the outcomes of this gateway, and the stop if all outcomes together break a rule. */
  async #write(comparison: Comparison): Promise<void> {
    const { store, clock } = this.#ports
    const name = nameOf(comparison)
    for (let tried = 0; tried < TRIES; tried++) {
      const before = recordIn(comparison.text, comparison.rules)
      const pending = [...comparison.pending]
      const next = judged(withOutcomes(before, pending), comparison.rules, clock.now())
      if (next === before) return
      const text = JSON.stringify(next)
      if (await store.setCanary(name, text, comparison.text)) {
        comparison.pending = comparison.pending.slice(pending.length)
        this.#adopt(comparison, text)
        if (next.stopped) await this.#stopped(comparison)
        return
      }
      this.#adopt(comparison, (await store.readCanaries())[name])
    }
  }

  /** Takes the stored record, adds the outcomes that it lacks, and announces a stop or its end. */
  #adopt(comparison: Comparison, text: string | undefined): void {
    comparison.text = text
    comparison.record = withOutcomes(recordIn(text, comparison.rules), comparison.pending)
    if (comparison.record.stopped) comparison.pending = []
    const isStopped = comparison.record.stopped !== undefined
    if (isStopped === comparison.isTold) return
    comparison.isTold = isStopped
    if (!isStopped) comparison.since = this.#ports.clock.now()
    this.#tell(comparison)
  }

  #tell({ model, pool, rules, record }: Comparison): void {
    const { alarm } = this.#ports
    if (!record.stopped) {
      alarm('a canary is no longer stopped', { pool, model })
      return
    }
    const { canary, control } = record.counts
    alarm('a canary is stopped: its pool is drained', {
      ...{ pool, model, why: record.stopped.why },
      canary: figuresText(figuresOf(canary)),
      against: `${rules.against}: ${figuresText(figuresOf(control))}`,
    })
  }

  /** Runs at the one gateway that stored the stop. */
  async #stopped({ model, pool, record }: Comparison): Promise<void> {
    const after = `${pool} (canary of ${model}: ${record.stopped?.why})`
    await this.#ports.audited({ by: 'canary', action: 'drain', before: '', after })
    await this.#drain(pool)
  }

  async #drain(pool: string): Promise<void> {
    const { store, pools, fleet, changed } = this.#ports
    pools.drain(pool, undefined, true)
    await store.setDrained({ pool }, true)
    await fleet.announceSoon()
    for (const comparison of this.#comparisons.values()) if (comparison.pool === pool) comparison.isHeld = false
    changed(pool)
  }

  /** Drops canaries that the files no longer declare. */
  #forget(declared: readonly DeclaredCanary[]): void {
    for (const [name, comparison] of this.#comparisons) {
      if (declared.some(canary => nameOf(canary) === name)) continue
      this.#comparisons.delete(name)
      const { pool, model, isTold } = comparison
      if (isTold) this.#ports.alarm('a canary is no longer stopped', { pool, model })
    }
  }
}

/** Names have no spaces. */
const nameOf = ({ model, pool }: Pick<DeclaredCanary, 'model' | 'pool'>): string => `${model} ${pool}`

/** A control with many outcomes changes a verdict slowly, so it is checked only now and then. */
function mayBreak({ record, rules }: Comparison, { side }: CanaryOutcome): boolean {
  const { seen } = record.counts.control.requests
  return side === 'canary' || seen <= rules.after || seen % Math.ceil(rules.after / 20) === 0
}

const known = new WeakMap<Config['models'], readonly DeclaredCanary[]>()

/** The canaries of a configuration. */
function declaredCanaries({ models }: Pick<Config, 'models'>): readonly DeclaredCanary[] {
  const before = known.get(models)
  if (before) return before
  const canaries = [...models.values()].flatMap(canariesOf)
  known.set(models, canaries)
  return canaries
}

const canariesOf = ({ name, traffic = [] }: Model): readonly DeclaredCanary[] =>
  traffic.flatMap(({ pool, canary }) => (canary ? [{ model: name, pool: pool.name, rules: canary }] : []))
