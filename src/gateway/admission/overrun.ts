import type { Settings } from '../../config/settings.ts'
import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import { costOfTokens } from '../../policy/price.ts'
import type { Work } from '../attempt/outcome.ts'
import type { Alarm } from '../ports.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { AdmittedCall } from './admit.ts'
import { emptyBill } from './bill.ts'

/** Output tokens of a chat beyond what it was granted: its backend did not keep to the cap, and no client pays for that. */
export function overrunOf({ request, decision, hold }: AdmittedCall, { usage, least }: Work): number {
  if (request.kind !== 'chat') return 0
  const { outputTokens = 0 } = usage ?? least ?? {}
  return Math.max(0, outputTokens - (hold.tokens - decision.claims.input))
}

export interface OverrunPorts {
  readonly store: { readonly ledger: Pick<LedgerStore, 'recordWaste'> }
  readonly settings: Pick<Settings, 'backends'>
  readonly alarm: Alarm
}

/** After the attempts of a request, and after its health checks. */
const FIRST_OVERRUN = 2000

/** Records what a backend made beyond the cap as waste of its pool. Settling does not wait for it. */
export function recordOverrun(ports: OverrunPorts, admitted: AdmittedCall, pool: Pool, work: Work): void {
  const outputTokens = overrunOf(admitted, work)
  if (outputTokens === 0) return
  const { requestId, round } = admitted.hold
  reportOverrun(ports.alarm, admitted, pool, outputTokens)
  const cost = ports.settings.backends.get(pool.name)?.cost
  const bill = emptyBill(admitted, pool)
  bill.outputTokens = outputTokens
  if (cost) bill.cost = costOfTokens(cost, { inputTokens: 0, outputTokens })
  const waste = { attempt: FIRST_OVERRUN + round, cause: 'output beyond the cap', bill }
  ports.store.ledger.recordWaste([waste]).catch((error: unknown) => {
    ports.alarm('output beyond a cap could not be recorded', { requestId, error: String(error) })
  })
}

const REPORT_EVERY: Millis = 60_000
const reportedAt = new WeakMap<Pool, EpochMs>()

/** Once a minute for each pool: every request would meet it. */
function reportOverrun(alarm: Alarm, { hold }: AdmittedCall, pool: Pool, tokens: number): void {
  const { at, requestId, output } = hold
  if (at - (reportedAt.get(pool) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY) return
  reportedAt.set(pool, at)
  alarm('a backend ignores the cap of an answer', {
    ...{ pool: pool.name, requestId, granted: output, beyond: tokens },
    hint: `the gateway ends such streams; svcctl doctor says which name of the cap the backend keeps to, and \`cap\` of the pool sends it`,
  })
}
