import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { Dialog } from '../shared/dialog.tsx'
import { toast } from '../shared/frame/toast.tsx'
import { drain, type Place, probe, undrain } from './api/pools.ts'
import { who } from './api/who.ts'
import { Command } from './command.tsx'
import { modelsLost } from './pool-state.ts'
import * as text from './texts/pools.tsx'

interface AskedProps {
  readonly what: 'drain' | 'undrain'
  readonly place: Place
  readonly pools: readonly ShownPool[]
  readonly onClose: () => void
  readonly onDone: (problem?: unknown) => void
}

/** Asks before requests go elsewhere, or come back. */
export function PoolDialog({ what, place, pools, onClose, onDone }: AskedProps) {
  const isDrain = what === 'drain'
  const lost = isDrain ? modelsLost(pools, place) : []
  const change = () =>
    (isDrain ? drain : undrain)(place).then(() => {
      toast(isDrain ? text.isDrained(nameOf(place)) : text.getsRequestsAgain(nameOf(place)))
      onDone()
    }, onDone)
  return (
    <Dialog
      title={`${isDrain ? text.drain : text.undrain} ${nameOf(place)}?`}
      action={isDrain ? text.drain : text.undrain}
      danger={lost.length > 0}
      onClose={onClose}
      onConfirm={() => void change()}
    >
      <p>{isDrain ? text.noNewRequests : text.requestsAreSentThere}</p>
      {lost.length > 0 && <p class="note bad">{text.noOtherHealthyReplica(lost.join(', '))}</p>}
      <Command text={commandOf(what, place)} />
      <p class="small muted">{text.theAuditNamesYou(who.value.data?.by)}</p>
    </Dialog>
  )
}

/** Asks replicas how they are, and says what they answered. */
export async function probeNow(place: Place): Promise<void> {
  const { ok, data } = await probe(place)
  const failed = data.find(each => !each.ok)
  const slowest = Math.round(Math.max(...data.map(({ ms }) => ms)))
  toast(
    ok || !failed
      ? text.answeredInMs(nameOf(place), slowest)
      : `${failed.url}: ${failed.error ?? text.answered(failed.status ?? 0)}`,
  )
}

export const commandOf = (what: string, { pool, url }: Place): string =>
  `svcctl pools ${what} ${pool}${url === undefined ? '' : ` ${url}`}`

export const nameOf = ({ pool, replica }: Place): string =>
  replica === undefined ? pool : text.replicaOf(replica, pool)
