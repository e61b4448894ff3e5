import type { EpochMs, Millis } from '../../policy/config.ts'
import type { NoticeEventName, NoticeRule } from '../../policy/limits/notice-rule.ts'
import { targetsOn } from '../../policy/notices.ts'
import type { AuditRow } from '../../records/audit.ts'
import type { Notice, NoticeEvent } from '../../records/notice.ts'
import type { Alarm, Clock } from '../ports.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { KeyStore } from '../store/key-store.ts'
import { eventNotice } from '../store/notice.ts'
import type { NoticeStore, Progress } from '../store/notice-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { expiringIn, type Span } from './expiring-keys.ts'
import { type IncidentChange, incidentChanges, type KnownIncidents, type SeenIncidents } from './incident-changes.ts'

export interface EventWatchPorts {
  readonly notices: Pick<NoticeStore, 'add' | 'readProgress' | 'advance'>
  readonly accounts: Pick<AccountStore, 'scan' | 'readAuditBack'>
  readonly keys: Pick<KeyStore, 'listOf'>
  /** As the files say at this moment. */
  readonly rules: () => readonly NoticeRule[]
  /** The incidents of all gateways on the store. */
  readonly incidents: () => Promise<SeenIncidents>
  readonly clock: Clock
  readonly alarm: Alarm
}

/**
 * Makes notices of events beside limits: keys that expire, accounts that are frozen, and incidents. It looks from the
 * gateway that delivers. The store keeps how far each look came, so that another gateway goes on from there, and the
 * notice of an event has one id, whoever makes it.
 */
export class EventWatch {
  readonly #ports: EventWatchPorts
  readonly #dueAt = new Map<Look, Millis>()
  #isBusy = false
  /** Resolves once no look is under way. */
  done: Promise<void> = Promise.resolve()

  constructor(ports: EventWatchPorts) {
    this.#ports = ports
  }

  /** Begins the looks that are due, unless some are under way. `goesOn` is false once another process delivers. */
  begin(goesOn: () => boolean): void {
    if (this.#isBusy) return
    this.#isBusy = true
    this.done = this.#look(goesOn).finally(() => {
      this.#isBusy = false
    })
  }

  async #look(goesOn: () => boolean): Promise<void> {
    const { clock, rules, alarm } = this.#ports
    for (const look of LOOKS) {
      const isWanted = targetsOn(rules(), look.on).size > 0
      if (!isWanted || !goesOn() || clock.elapsed() < (this.#dueAt.get(look) ?? Number.NEGATIVE_INFINITY)) continue
      this.#dueAt.set(look, clock.elapsed() + look.everyMs)
      try {
        await look.take(this.#ports)
      } catch (error) {
        // An outage of the store has its own alarm, and the next look comes from the same place.
        if (!(error instanceof StoreUnavailable)) alarm('unexpected error', { error: String(error) })
      }
    }
  }
}

interface Look {
  /** Names in the files of the events that it looks for. */
  readonly on: readonly NoticeEventName[]
  readonly everyMs: Millis
  readonly take: (ports: EventWatchPorts) => Promise<void>
}

const LOOKS: readonly Look[] = [
  { on: ['incidents', 'ejected_pools'], everyMs: 15_000, take: lookAtIncidents },
  { on: ['freezes'], everyMs: 15_000, take: lookAtFreezes },
  { on: ['expiring_keys'], everyMs: 600_000, take: lookAtKeys },
]

async function lookAtIncidents({ notices, rules, incidents, clock }: EventWatchPorts): Promise<void> {
  const before = await notices.readProgress('incidents')
  const seen = await incidents()
  const known = before === undefined ? undefined : (JSON.parse(before) as KnownIncidents)
  const at = clock.now()
  const { after, changes } = incidentChanges(known, seen, at)
  const made = changes.flatMap(change => incidentNotice(change, rules(), at) ?? [])
  await notices.advance({ watcher: 'incidents', before, after: JSON.stringify(after) }, made)
}

/** The kinds of incident by which requests leave a pool or one of its replicas. */
const EJECTIONS: ReadonlySet<string> = new Set(['replica-ejected', 'pool-unusable', 'canary-stopped'])

function incidentNotice(change: IncidentChange, rules: readonly NoticeRule[], at: EpochMs): Notice | undefined {
  const { key, state, overSince: _overSince, ...incident } = change
  const names: readonly NoticeEventName[] = EJECTIONS.has(change.incident)
    ? ['incidents', 'ejected_pools']
    : ['incidents']
  const event: NoticeEvent = { kind: 'incident', state, ...incident }
  return eventNotice({ name: `incident ${state} ${key} ${change.openedAt}`, at, event }, targetsOn(rules, names))
}

/** The row of the audit is written in the step that freezes, and names the event. */
async function lookAtFreezes(ports: EventWatchPorts): Promise<void> {
  const { accounts, rules, clock } = ports
  const targets = targetsOn(rules(), ['freezes'])
  await goOn(ports, 'freezes', async ({ after = clock.now() }) => {
    // Nobody may have asked for freezes for a long time.
    const since = Math.max(after, clock.now() - MOST_BACK_MS)
    const made: Notice[] = []
    for await (const { at, by, action, account } of accounts.readAuditBack()) {
      // Clocks of servers differ a little, and a row may become visible late: those that are known are passed over.
      if (at < since - OVERLAP_MS) break
      const state = STATES[action]
      if (!state) continue
      const event: NoticeEvent = { kind: 'freeze', state, account, by }
      made.push(...asList(eventNotice({ name: `freeze ${state} ${account} ${at}`, at, event }, targets)))
    }
    return made.reverse()
  })
}

const STATES: Partial<Record<AuditRow['action'], 'frozen' | 'thawed'>> = { freeze: 'frozen', thaw: 'thawed' }
const OVERLAP_MS: Millis = 60_000
/** Older changes are no news. */
const MOST_BACK_MS: Millis = 3 * 86_400_000

async function lookAtKeys(ports: EventWatchPorts): Promise<void> {
  const { accounts, keys, rules } = ports
  const targets = targetsOn(rules(), ['expiring_keys'])
  await goOn(ports, 'keys', async span => {
    const made: Notice[] = []
    for await (const page of accounts.scan()) {
      const owners = page.filter(({ kind }) => kind === 'developer')
      const lists = await Promise.all(owners.map(({ account }) => keys.listOf(account)))
      for (const { key, left, expiresAt } of expiringIn(lists.flat(), span)) {
        const { account, label, id, name, keyPrefix: prefix } = key
        const named = { account, label, key: id, prefix, ...(name !== undefined && { name }) }
        const event: NoticeEvent = { kind: 'key-expiry', ...named, expiresAt }
        made.push(...asList(eventNotice({ name: `key ${id} ${left} ${expiresAt}`, at: span.until, event }, targets)))
      }
    }
    return made
  })
}

const asList = (notice: Notice | undefined): readonly Notice[] => (notice ? [notice] : [])

/** Goes on from where the last look ended; stays there where some notices found no room. */
async function goOn(
  { notices, clock }: EventWatchPorts,
  watcher: string,
  look: (span: Span) => Promise<readonly Notice[]>,
): Promise<void> {
  const before = await notices.readProgress(watcher)
  const until = clock.now()
  const made = await look({ after: before === undefined ? undefined : Number(before), until })
  const { full } = await notices.add(made)
  const progress: Progress = { watcher, before, after: String(until) }
  if (full.length === 0) await notices.advance(progress, [])
}
