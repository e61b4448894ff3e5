import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { Dialog } from '../shared/dialog.tsx'
import { toast } from '../shared/frame/toast.tsx'
import { drain, type Place, probe, undrain } from './api/pools.ts'
import { who } from './api/who.ts'
import { Command } from './command.tsx'
import { modelsLost } from './pool-state.ts'

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
      toast(isDrain ? `${nameOf(place)} is drained` : `${nameOf(place)} gets requests again`)
      onDone()
    }, onDone)
  return (
    <Dialog
      title={`${isDrain ? 'Drain' : 'Undrain'} ${nameOf(place)}?`}
      action={isDrain ? 'Drain' : 'Undrain'}
      danger={lost.length > 0}
      onClose={onClose}
      onConfirm={() => void change()}
    >
      <p>
        {isDrain
          ? 'No new requests are sent there; those under way go on. It holds for all gateways on the store, and over restarts.'
          : 'Requests are sent there again, from the next one on.'}
      </p>
      {lost.length > 0 && <p class="note bad">No other healthy replica serves {lost.join(', ')} now.</p>}
      <Command text={commandOf(what, place)} />
      <p class="small muted">
        The audit names you: <bdi>{who.value.data?.by}</bdi>.
      </p>
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
      ? `${nameOf(place)} answered in ${slowest} ms`
      : `${failed.url}: ${failed.error ?? `answered ${failed.status}`}`,
  )
}

export const commandOf = (what: string, { pool, replica }: Place): string =>
  `svcctl pools ${what} ${pool}${replica === undefined ? '' : ` ${replica}`}`

export const nameOf = ({ pool, replica }: Place): string =>
  replica === undefined ? pool : `replica ${replica} of ${pool}`
