import { askAll } from '../../../gateway/fleet/peers.ts'
import type { Millis } from '../../../policy/config.ts'
import type { Member, Unreached } from '../../../wire/admin/fleet.ts'
import { readRequestDetail } from '../../../wire/admin/request-detail.ts'
import type { OperatorApp } from '../operator-app.ts'

/** All that is known of one request, as `GET /admin/requests/{id}` answers. */
export interface Detail {
  readonly request: object | null
  readonly labels: Readonly<Record<string, string>>
  readonly ledger: readonly object[]
  readonly decision: object | null
  readonly why_none: string | null
}

/** What this gateway knows of a request, and what others remember and have in their decision logs: each has those of its own requests. */
export async function detailOfFleet(
  { peers }: Pick<OperatorApp, 'peers'>,
  id: string,
  others: readonly Member[],
  own: Detail | undefined,
): Promise<{ readonly detail?: Detail; readonly unreached: readonly Unreached[] }> {
  const path = `/admin/requests/${encodeURIComponent(id)}`
  const { answers, unreached } = await askAll(others, peers.ask, { method: 'GET', path, patience: PATIENCE }, 404)
  const known = [...(own ? [own] : []), ...answers.map(([, body]) => readRequestDetail(body))]
  const [first] = known
  if (!first) return { unreached }
  const decision = known.find(each => each.decision !== null)?.decision ?? null
  const detail = {
    ...first,
    request: known.find(({ request }) => request !== null)?.request ?? null,
    labels: Object.assign({}, ...known.map(({ labels }) => labels)),
    decision,
    why_none: decision ? null : first.why_none,
  }
  return { detail, unreached }
}

const PATIENCE: Millis = 5000
