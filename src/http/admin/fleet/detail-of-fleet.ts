import { askAll } from '../../../gateway/fleet/peers.ts'
import type { Millis } from '../../../policy/config.ts'
import type { Member, Unreached } from '../../../wire/admin/fleet.ts'
import { READ_DETAIL, type RequestDetail } from '../../../wire/admin/request-detail.ts'
import { pathOf } from '../../../wire/admin-api/call.ts'
import { showRequest } from '../../../wire/admin-api/requests.ts'
import { readAs } from '../../../wire/schema/read.ts'
import type { OperatorApp } from '../operator-app.ts'

/** This gateway's detail of a request, and the others' from their memory and decision logs: each has those of its own requests. */
export async function detailOfFleet(
  { peers }: Pick<OperatorApp, 'peers'>,
  id: string,
  others: readonly Member[],
  own: RequestDetail | undefined,
): Promise<{ readonly detail?: RequestDetail; readonly unreached: readonly Unreached[] }> {
  const path = pathOf(showRequest, { id })
  const { answers, unreached } = await askAll(others, peers.ask, { method: 'GET', path, patience: PATIENCE }, 404)
  const known = [...(own ? [own] : []), ...answers.map(([, body]) => readAs(READ_DETAIL, body))]
  const [first] = known
  if (!first) return { unreached }
  const decision = known.find(each => each.decision !== null)?.decision ?? null
  const notes = known.find(each => each.notes !== undefined)?.notes
  const detail = {
    ...first,
    request: known.find(({ request }) => request !== null)?.request ?? null,
    labels: Object.assign({}, ...known.map(({ labels }) => labels)),
    decision,
    why_none: decision ? null : first.why_none,
    ...(notes && { notes }),
  }
  return { detail, unreached }
}

const PATIENCE: Millis = 5000
