import { shareText, WHOLE } from '../../policy/traffic/traffic-share.ts'
import type { ModelSection } from '../file.ts'
import { servedName } from '../model/served.ts'
import { unitOf } from '../model/units.ts'
import type { Say } from '../problem.ts'

/** Reports shares of traffic that leave conversations without a pool, that are more than all, or that nothing fails over from. */
export function lintTraffic(name: string, { serve }: ModelSection, say: Say): void {
  let sum = 0
  let hasPlain = false
  const seen = new Set<string>()
  for (const [index, entry] of serve.entries()) {
    const pool = servedName(entry)
    if (seen.has(pool)) {
      const message = `\`${pool}\` is twice in \`serve\``
      say(['serve', index], 'error', 'duplicate-entry', message, 'remove one')
    }
    seen.add(pool)
    if (typeof entry === 'string') {
      hasPlain = true
      continue
    }
    if (hasPlain) {
      const message = `model \`${name}\` lists \`${pool}\`, which has a share, behind a pool without one`
      const hint = 'put entries with a share first: their pool is asked first, and gets no failover traffic'
      say(['serve', index], 'error', 'share-not-first', message, hint)
    }
    const before = sum
    sum += unitOf('percent', entry.share)
    if (sum <= WHOLE || before > WHOLE) continue
    const message = `the shares of model \`${name}\` are ${shareText(sum)} of its conversations`
    say(['serve', index, 'share'], 'error', 'shares-too-large', message, 'lower them to 100% or less together')
  }
  if (hasPlain) return
  const message = `every pool of model \`${name}\` has a share`
  const hint = 'add a pool without one: it serves everybody else, and whoever finds the others failing'
  say(['serve'], 'error', 'shares-alone', message, hint)
}
