import { counted } from '../../policy/counted.ts'
import { guaranteedSlots } from '../../policy/queue/slot-shares.ts'
import { shareText, WHOLE } from '../../policy/traffic/share.ts'
import { DEFAULTS } from '../defaults.ts'
import type { ConfigFile, PoolSection } from '../file.ts'
import { type MapNode, nodeAt } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import { POOL_FIELDS } from '../pool-fields.ts'
import type { Report, Say } from '../problem.ts'
import type { MergedFiles } from '../read/merge.ts'

/** Reports a `max_concurrent_over` without slots, a `queue` that nothing fills, that has a second timeout, or whose parts contradict each other. */
export function lintQueue(name: string, pool: PoolSection, say: Say): void {
  const { queue, max_concurrent: slots, max_concurrent_over: over, queue_timeout: other } = pool
  if (over !== undefined && slots === undefined) {
    const message = `pool \`${name}\` has \`max_concurrent_over\`, but no \`max_concurrent\``
    say(['max_concurrent_over'], 'error', 'needs-max-concurrent', message, 'add `max_concurrent`, or remove it')
  }
  lintShares(name, pool, say)
  if (!queue) return
  if (slots === undefined) {
    const message = `pool \`${name}\` has \`queue\`, but no \`max_concurrent\``
    say(['queue'], 'error', 'needs-max-concurrent', message, 'add `max_concurrent`, or remove `queue`')
  }
  if (other !== undefined) {
    const message = `pool \`${name}\` has \`queue\` and \`queue_timeout\``
    say(
      ['queue_timeout'],
      'error',
      'duplicate-entry',
      message,
      'remove `queue_timeout`: `queue.timeout` takes its place',
    )
  }
  const max = unitOf('count', queue.max ?? POOL_FIELDS['queue.max'].default)
  if (queue.of_account !== undefined && unitOf('count', queue.of_account) > max) {
    const message = `pool \`${name}\` lets ${queue.of_account} requests of an account wait, and ${max} in all`
    say(['queue', 'of_account'], 'error', 'out-of-range', message, 'lower `of_account`, or raise `max`')
  }
  const timeout = queue.timeout ?? POOL_FIELDS['queue.timeout'].default
  if (queue.before_next !== undefined && unitOf('duration', queue.before_next) > unitOf('duration', timeout)) {
    const message = `pool \`${name}\` has a \`before_next\` of ${queue.before_next}, and requests wait ${timeout} at most`
    say(['queue', 'before_next'], 'error', 'out-of-range', message, 'lower `before_next`, or raise `timeout`')
  }
}

/** Reports shares without slots that wait in an order, shares that are more than all slots, and those that guarantee none. */
function lintShares(name: string, pool: PoolSection, say: Say): void {
  const { shares, queue, max_concurrent: slots } = pool
  if (!shares) return
  if (!queue) {
    const lacks = slots === undefined ? '`queue` and no `max_concurrent`' : '`queue`'
    const message = `pool \`${name}\` has \`shares\`, but no ${lacks}`
    say(['shares'], 'error', 'needs-queue', message, 'add what is missing, or remove `shares`')
  }
  const owners = Object.keys(shares)
  const millionths = Object.values(shares).map(share => unitOf('percent', share))
  const sum = millionths.reduce((all, each) => all + each, 0)
  if (sum > WHOLE) {
    const message = `the shares of pool \`${name}\` are ${shareText(sum)} of its slots`
    say(['shares'], 'error', 'shares-too-large', message, 'lower them to 100% or less together')
    return
  }
  if (slots === undefined) return
  const all = unitOf('count', slots)
  for (const [place, guaranteed] of guaranteedSlots(millionths, all).entries()) {
    const owner = owners[place] ?? ''
    if (guaranteed > 0) continue
    const message = `\`${owner}\` has ${shareText(millionths[place] ?? 0)} of ${counted(all, 'slot')}, which is less than one slot`
    say(['shares', owner], 'error', 'share-of-no-slot', message, 'raise the share or `max_concurrent`, or remove it')
  }
}

/** Reports shares in a gateway with workers whose queues have no common order. */
export function lintShareWorkers(
  root: MapNode,
  { server = {} }: ConfigFile,
  { pools }: MergedFiles,
  report: Report,
): void {
  const { workers = DEFAULTS.workers } = server
  const shared = [...pools.values()].find(({ data }) => data?.shares && data.max_concurrent_over !== 'store')
  if (!shared || workers === 1 || workers === '1') return
  const message = `pool \`${shared.name}\` has \`shares\`, and \`workers\` is \`${workers}\``
  const span = nodeAt(root, ['server', 'workers'])?.span ?? root.span
  report({
    ...span,
    rule: 'shares-over-workers',
    severity: 'error',
    message,
    hint: 'write 1, or `max_concurrent_over: store` in the pool: workers then share its slots and their order',
  })
}
