import { join } from 'node:path'
import { UnderWay } from '../../gateway/lifetimes.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Settlement } from '../../gateway/store/hold-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { dayAt, type Hold, NOTHING } from '../../policy/counters/account-counters.ts'
import { CALENDAR_RULES } from '../../policy/limits/named-rules.ts'
import { type CounterName, isSharedGroup } from '../../policy/limits/rule-claim.ts'
import type { Checkpoint } from '../../records/hold.ts'
import { dayOfRow } from '../../records/ledger-row.ts'
import type { Access, RedisStoreOptions } from './access.ts'
import { isScriptError, type Reply } from './client.ts'
import { HOLD_FIELDS, holdTexts, readCheckpoint, readHold } from './hold-text.ts'
import type { EndCall } from './journal/acknowledged.ts'
import type { Bucket, Layout } from './layout.ts'
import { readRow, restOf, totalOf, whoseOf } from './row-text.ts'
import { endedRules, readHeldRules } from './rule-texts.ts'
import type { Ask } from './servers/shards.ts'
import { endedShare, ownOf, SharedHolds } from './shared-holds.ts'
import { type Drained, Spool, type Spooled } from './spool.ts'
import { sumsText } from './total-texts.ts'

/** Ends the holds of requests in the store, or keeps the ends on this disk until the store is back. */
export class HoldEndings {
  readonly #access: Access
  readonly #alarm: Alarm
  readonly #spool: Spool | undefined
  readonly #keep: (() => Millis) | undefined
  readonly #shared: SharedHolds
  readonly #underWay = new UnderWay()
  #draining: Promise<void> = Promise.resolve()
  #retry: NodeJS.Timeout | undefined
  /** Requests whose rows were counted by the running drain, which may have to repeat them. */
  readonly #counted = new Set<string>()
  #closed = false

  /** Without `stateDir` an end rejects while the store is down. */
  constructor(access: Access, { alarm, stateDir, keep }: RedisStoreOptions) {
    this.#access = access
    this.#shared = new SharedHolds(access)
    this.#alarm = alarm
    this.#keep = keep
    this.#spool = stateDir === undefined ? undefined : new Spool(join(stateDir, 'spool'))
  }

  /** Resolves when the end is durable in the store, or on this disk. */
  async end(spooled: Spooled): Promise<void> {
    this.#underWay.begin()
    try {
      await this.#end(spooled)
    } finally {
      this.#underWay.end()
    }
  }

  async #end(spooled: Spooled): Promise<void> {
    try {
      await this.#writeOne(spooled)
    } catch (error) {
      // It would fail again: no outage, and nothing that may pass unseen.
      if (this.#spool && isScriptError(error)) await this.#spool.refuse(this.#refused(spooled, error.message))
      if (!this.#spool || !(error instanceof StoreUnavailable)) throw error
      await this.#spool.add(spooled).catch(full => {
        throw new StoreUnavailable(`${error.message}, and the disk cannot keep it: ${full}`, { cause: full })
      })
      this.drainSoon()
    }
  }

  /** Ends holds whose lease expired. Resolves to their number. */
  async sweep(): Promise<number> {
    if (!this.#access.up) return 0
    const { ask, layout, isUpAt } = this.#access
    const buckets = layout.buckets().filter(({ leases }) => isUpAt(leases))
    const clocks = await this.#access.clocksOf(buckets.map(({ leases }) => leases))
    const swept = buckets.map(bucket => sweepBucket(ask, bucket, clocks(bucket.leases), end => this.#orphan(end)))
    const isShared = layout.isCluster && isUpAt(layout.guests.sharedLeases)
    // Together: a rejection that nothing waits for yet ends the process.
    const [counts] = await Promise.all([Promise.all(swept), isShared && this.#shared.sweep()])
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Writes the waiting ends to the store, one drain at a time. Those that fail wait until the store is back. */
  drainSoon(): void {
    const spool = this.#spool
    if (!spool?.pending || !this.#access.up) return
    this.#draining = this.#draining.then(async () => {
      try {
        const written = await spool.drain(spooled => this.#writeWaiting(spooled))
        this.#counted.clear()
        if (written > 0) this.#alarm('settlements that waited for the store were written to it', { count: written })
        if (spool.pending) this.#drainLater()
      } catch (error) {
        // The store may answer with errors, such as READONLY, without being down: then nothing signals that it is back.
        if (error instanceof StoreUnavailable) return this.#drainLater()
        this.#alarm('settlements that wait for the store cannot be read', { error: String(error) })
      }
    })
  }

  #refused(spooled: Spooled, reason: string): Spooled {
    const { requestId } = endOf(spooled).hold
    this.#alarm('a settlement cannot be written to the store and is kept in spool.refused.ndjson', {
      requestId,
      reason,
    })
    return spooled
  }

  /** False, with an alarm, where a repetition would not help, or would charge the request twice. */
  async #writeWaiting(spooled: Spooled): Promise<Drained> {
    const { requestId, at, account } = endOf(spooled).hold
    // Others need not wait for its server.
    const { up, isUpAt, layout, now } = this.#access
    const { leases } = layout.of(account)
    if (up && !isUpAt(leases)) return 'later'
    const refuse = (reason: string) => {
      this.#refused(spooled, reason)
      return false
    }
    try {
      // The row that would show an earlier write is removed by now.
      if (this.#keep !== undefined && at < (await now(leases)) - this.#keep()) return refuse('older than ledger.keep')
      // Redis may have failed over since, also before this process began.
      const reply = await this.#writeOne(spooled, true)
      // The answer to the first try may have been lost, and then its row was not counted.
      if (reply[0] === 'repeated' && !this.#counted.has(requestId)) this.#count(reply)
      this.#counted.add(requestId)
      return true
    } catch (error) {
      if (isScriptError(error)) return refuse(error.message)
      if (error instanceof StoreUnavailable && up && this.#access.up && !this.#access.isWhole) return 'later'
      throw error
    }
  }

  #drainLater(): void {
    clearTimeout(this.#retry)
    if (!this.#closed) this.#retry = setTimeout(() => this.drainSoon(), RETRY_MS)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#underWay.none()
    await this.#draining
    await this.#spool?.close()
  }

  async #writeOne(spooled: Spooled, mayBeLost?: boolean): Promise<Reply> {
    const end = endOf(spooled)
    const { layout } = this.#access
    const call = callOf(layout, end, mayBeLost ?? this.#mayBeLost(end))
    const share = endedShare(layout, end.hold, 'settle' in spooled ? spooled.settle : undefined)
    const [own, others] = share ? await this.#access.intend([spooled, { call: share }]) : []
    const reply = await this.#access.end(spooled, call, own)
    this.#countSettled(reply)
    // After the account: if it refuses to end the hold, the share stays reserved.
    if (share) await this.#access.end({ call: share }, share, others)
    return reply
  }

  /** Is not repeated, so that a late answer is the only one. */
  async #orphan(end: End): Promise<Reply> {
    const { account, name, keys, values } = callOf(this.#access.layout, end, this.#mayBeLost(end))
    const reply = await this.#access.script(account, name, keys, values, late => this.#countSettled(late))
    this.#countSettled(reply)
    return reply
  }

  #mayBeLost({ hold }: End): boolean {
    return this.#access.mayBeLost(hold.account, hold.at)
  }

  #countSettled(reply: Reply): void {
    if (reply[0] === 'settled') this.#count(reply)
  }

  #count([, row, requests]: Reply): void {
    if (row) this.#access.wrote(readRow(row), requests === '0' ? 0 : 1)
  }
}

const RETRY_MS: Millis = 1000

/** How a hold ends; without a settlement it costs nothing. */
interface End {
  readonly how: 'settle' | 'refund' | 'orphan'
  readonly hold: Hold
  readonly settlement?: Checkpoint & Pick<Settlement, 'joined'>
}

function endOf(spooled: Spooled): End {
  if ('refund' in spooled) return { how: 'refund', hold: spooled.refund }
  return { how: 'settle', hold: spooled.settle.hold, settlement: spooled.settle }
}

/** The end of a request, as the script takes it. `mayBeLost` says that its admission may be unknown. */
export const endCall = (layout: Layout, spooled: Spooled, mayBeLost: boolean): EndCall =>
  callOf(layout, endOf(spooled), mayBeLost)

function callOf(layout: Layout, { how, hold: whole, settlement: all }: End, mayBeLost: boolean): EndCall {
  const hold = whole.apart ? ownOf(whole) : whole
  const settlement = layout.isCluster && all ? ownPart(all) : all
  const { requestId, account, window, second, at } = hold
  const bucket = layout.of(account)
  const { tokens } = settlement ?? NOTHING
  const bill = settlement?.bill
  const rules = endedRules(layout, hold, settlement, mayBeLost)
  return {
    account,
    name: hold.rules || settlement?.joined?.length ? 'settleWithRules' : 'settle',
    keys: [
      bucket.counters(account),
      bucket.spend(account, window),
      bucket.hold(requestId),
      bucket.leases,
      bucket.ledger,
      bucket.totals(bill ? dayOfRow(bill) : dayAt(at)),
      layout.guestSpend(account),
      bucket.minute(account),
      ...rules.keys,
    ],
    values: [
      requestId,
      how,
      tokens,
      bill ? sumsText({ ...bill, requests: 1 }) : '',
      bill ? whoseOf(bill) : account,
      bill ? restOf(bill) : '',
      mayBeLost ? `${second} ${admissionText(hold)}` : second,
      bill ? totalOf(bill) : '',
      ...(rules.watched === '' ? rules.values : [...withBlanks(rules.values), rules.watched]),
    ],
  }
}

/** Blanks take the places of what rules.lua reads, where no rule counts the request. */
const withBlanks = (values: readonly string[]): readonly string[] => (values.length > 0 ? values : ['', ''])

/** A settlement without the limits that accounts share, which lie apart in a cluster. */
function ownPart({ joined, watches, ...settlement }: NonNullable<End['settlement']>): NonNullable<End['settlement']> {
  return {
    ...settlement,
    ...(joined && { joined: joined.filter(isOwn) }),
    ...(watches && { watches: watches.filter(({ counter }) => typeof counter === 'string' || isOwn(counter)) }),
  }
}

const isOwn = ({ group }: CounterName): boolean => !isSharedGroup(group)

/** The second and the calendar windows in which a request was counted when it was admitted. */
export function admissionText({ at, second, round }: Hold): string {
  // A further round counts in a second of its own.
  const admitted = round === 0 ? second : Math.floor(at / 1000)
  return [admitted, ...CALENDAR_RULES.map(({ seconds }) => Math.floor(admitted / seconds))].join(' ')
}

/** Ends the holds of a bucket whose lease ran out. Resolves to how many this call ended. */
async function sweepBucket(ask: Ask, bucket: Bucket, now: EpochMs, end: (end: End) => Promise<Reply>): Promise<number> {
  let swept = 0
  for (;;) {
    const due = await ask(bucket.leases, client =>
      client.zRange(bucket.leases, '-inf', now, { BY: 'SCORE', LIMIT: { offset: 0, count: PAGE } }),
    )
    const ended = await Promise.all(due.map(requestId => sweepHold(ask, bucket, requestId, end)))
    swept += ended.filter(Boolean).length
    // None ended: other gateways are ending them, or all were renewed.
    if (due.length < PAGE || !ended.includes(true)) return swept
  }
}

async function sweepHold(
  ask: Ask,
  bucket: Bucket,
  requestId: string,
  end: (end: End) => Promise<Reply>,
): Promise<boolean> {
  const texts = await ask(bucket.leases, client => client.hmGet(bucket.hold(requestId), [...HOLD_FIELDS]))
  const { account, window, hold: text, checkpoint, rules, cells, weight } = holdTexts(texts)
  if (!account || !text) {
    // A lease without a hold is only removed.
    await ask(bucket.leases, client => client.zRem(bucket.leases, requestId))
    return false
  }
  const hold = readHold(text, { requestId, account, window: Number(window) }, readHeldRules([rules, cells, weight]))
  const settlement = checkpoint ? readCheckpoint(checkpoint) : undefined
  const [outcome] = await end({ how: 'orphan', hold, ...(settlement && { settlement }) })
  return outcome === 'settled'
}

/** Holds of one bucket that are read together. */
const PAGE = 100
