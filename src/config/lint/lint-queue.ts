import type { PoolSection } from '../file.ts'
import { unitOf } from '../model/units.ts'
import { POOL_FIELDS } from '../pool-fields.ts'
import type { Say } from '../problem.ts'

/** Reports a `max_concurrent_over` without slots, a `queue` that nothing fills, that has a second timeout, or whose parts contradict each other. */
export function lintQueue(name: string, pool: PoolSection, say: Say): void {
  const { queue, max_concurrent: slots, max_concurrent_over: over, queue_timeout: other } = pool
  if (over !== undefined && slots === undefined) {
    const message = `pool \`${name}\` has \`max_concurrent_over\`, but no \`max_concurrent\``
    say(['max_concurrent_over'], 'error', 'needs-max-concurrent', message, 'add `max_concurrent`, or remove it')
  }
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
