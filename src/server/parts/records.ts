import { DecisionFiles } from '../../adapters/decisions/log.ts'
import type { DecisionSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import { Tracing } from '../snapshots.ts'
import { within } from '../world.ts'
import type { Base } from './base.ts'
import type { Part } from './open-parts.ts'
import { FLUSH_MS } from './stored.ts'

/** Where requests are written down beside the ledger: the decision log, and traces. */
export interface Records extends Part {
  readonly decisions: DecisionFiles
  readonly tracing: Tracing
}

interface RecordsPorts {
  /** Name of the process among all that send traces. */
  readonly instance: string
  /** Where the lines of this process go, of those that the files name. */
  readonly decisionsOf?: (all: DecisionSettings) => DecisionSettings
}

export function openRecords(base: Base, { instance, decisionsOf = all => all }: RecordsPorts): Records {
  const { clock, alarm, serving } = base
  const decisions = new DecisionFiles({ settings: () => decisionsOf(serving.settings.decisions), clock, alarm })
  const tracing = new Tracing(alarm, instance)
  const close = async () => {
    await Promise.all([within(FLUSH_MS, decisions.close()), within(LAST_SPANS_MS, tracing.closed())])
  }
  return { decisions, tracing, close }
}

/** A collector that is not there would hold up every restart. */
export const LAST_SPANS_MS: Millis = 1000
