import type { Finding } from '../../gateway/doctor/finding.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { poolsOf } from '../../operator/gateway-calls.ts'
import { CommandFailed } from '../../server/failure.ts'
import type { ShownPool } from '../../wire/admin/pool.ts'
import type { ReplicaState, ShownReplica } from '../../wire/admin/pool-replica.ts'
import { lessonsText, lessonsYaml } from '../pools/lessons-text.ts'

/**
 * The running gateways' view of their pools, which a list of models does not show: a backend that fails every chat
 * still lists them. Empty where none runs, and for pools whose replicas all take requests.
 */
export async function checkServedPools(
  file: string,
  runs: boolean,
  named: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  if (!runs) return []
  try {
    const { data } = await poolsOf(await findAdminEndpoint(file)).list('all')
    return data
      .filter(({ pool }) => named?.includes(pool) ?? true)
      .flatMap(each => [...servedFinding(each), ...taughtFinding(each)])
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    const [text = ''] = error.message.replace(/^✗ /, '').split('\n')
    const hint = 'Set SVCCTL_TOKEN to the admin token of that gateway.'
    return [
      {
        check: 'pools',
        subject: 'ejected',
        state: 'warning',
        text: `the running gateway could not be asked: ${text}`,
        hint,
      },
    ]
  }
}

/** One finding for a pool of which some replicas get no requests: a problem where that is all of them. */
export function servedFinding(pool: ShownPool): readonly Finding[] {
  const { replicas } = pool
  const out = replicas.filter(({ state }) => state !== 'closed')
  if (out.length === 0) return []
  const fit = replicas.length - out.length
  const isWanted = out.every(({ state }) => state === 'drained')
  const parts = [...new Set(out.map(({ state }) => state))].map(state => {
    const own = out.filter(each => each.state === state)
    return `${WORDS[state]} ${replicasText(own, replicas.length)}`
  })
  return [
    {
      check: 'pools',
      subject: pool.pool,
      state: fit === 0 && !isWanted ? 'problem' : 'warning',
      text: `the running gateway ${parts.join(', and ')}`,
      hint: isWanted
        ? `svcctl pools undrain ${pool.pool} sends requests there again.`
        : `svcctl pools shows until when; svcctl pools probe ${pool.pool} tries them now; svcctl requests list --pool ${pool.pool} --errors lists the failures.`,
      replicas: { fit, of: replicas.length },
    },
  ]
}

/** The lessons from refusals of a pool, as long as its files lack them. */
export function taughtFinding({ pool, learned = [], replicas }: ShownPool): readonly Finding[] {
  if (learned.length === 0) return []
  const text = `the running gateway learned from refusals: ${lessonsText(learned)}`
  const hint = `Each account runs into them again every day. To make it permanent, add to the pool: ${lessonsYaml(learned)}`
  const all = { fit: replicas.length, of: replicas.length }
  return [{ check: 'pools', subject: pool, state: 'warning', text, hint, replicas: all }]
}

/** The words for replicas that get no requests. */
const WORDS: Readonly<Record<Exclude<ReplicaState, 'closed'>, string>> & Readonly<Record<string, string>> = {
  open: 'has ejected',
  'half-open': 'is trying again, after it ejected,',
  cooling: 'is pausing, as asked by the backend,',
  drained: 'has drained',
}

/** `both replicas`, `replica 2 (seen by gw-1:7)` */
function replicasText(own: readonly ShownReplica[], of: number): string {
  const seen = own.flatMap(({ seen_by }) => seen_by ?? [])
  const by = seen.length === 0 ? '' : ` (seen by ${[...new Set(seen)].join(', ')})`
  if (own.length === of) return `${of === 1 ? 'its only replica' : `all ${of} replicas`}${by}`
  const numbers = own.map(({ replica }) => replica).join(', ')
  return `${own.length === 1 ? 'replica' : 'replicas'} ${numbers}${by}`
}
