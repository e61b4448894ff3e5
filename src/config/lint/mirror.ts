import type { ChatModelSection, ModelSection, PoolSection } from '../file.ts'
import { servedName } from '../model/served.ts'
import { unitOf } from '../model/units.ts'
import type { Say } from '../problem.ts'
import type { MergedFiles } from '../read/merge.ts'

/** Reports a mirror that no request could be copied to, or whose cost nothing bounds. */
export function lintMirror(name: string, model: ModelSection, { pools }: MergedFiles, say: Say): void {
  if (model.kind !== 'chat' || !model.mirror) return
  const target = pools.get(model.mirror.to)?.data
  if (!target) return
  lintSources(name, model, model.mirror, { target, siteOf: pool => pools.get(pool)?.data?.site }, say)
  lintCost(model.mirror, target, say)
}

type MirrorSection = NonNullable<ChatModelSection['mirror']>

interface Places {
  readonly target: PoolSection
  /** The site of a pool; undefined where the pool has a mistake. */
  readonly siteOf: (pool: string) => string | undefined
}

/** Copies come from the other pools of the model, in the same site unless the files say more. */
function lintSources(
  name: string,
  { serve }: ChatModelSection,
  { to, across_sites: acrossSites }: MirrorSection,
  { target, siteOf }: Places,
  say: Say,
): void {
  const others = serve.map(servedName).filter(pool => pool !== to)
  if (others.length === 0) {
    const message = `model \`${name}\` is mirrored to \`${to}\`, its only pool`
    say(['mirror', 'to'], 'error', 'mirrors-itself', message, 'mirror it to another pool')
    return
  }
  const isNear = (pool: string) => (siteOf(pool) ?? target.site) === target.site
  if (acrossSites || others.some(isNear)) return
  const message = `every pool that serves \`${name}\` is in another site than \`${to}\`, which is in \`${target.site}\``
  const hint = 'mirror it within a site, or add `across_sites: true` if prompts may leave theirs'
  say(['mirror', 'to'], 'error', 'mirrors-across-sites', message, hint)
}

function lintCost(
  { to, max_usd_per_day: most }: MirrorSection,
  { cost_usd_per_1m: cost }: PoolSection,
  say: Say,
): void {
  if (most === undefined) {
    if (cost === undefined) return
    const message = `copies cost money at \`${to}\`, and nothing bounds it`
    say(['mirror'], 'error', 'needs-bound', message, 'add `max_usd_per_day`')
    return
  }
  if (cost === undefined) {
    const message = `pool \`${to}\` declares no cost that \`max_usd_per_day\` could bound`
    const hint = `add \`cost_usd_per_1m\` to pool \`${to}\`, or remove \`max_usd_per_day\``
    say(['mirror', 'max_usd_per_day'], 'error', 'needs-cost', message, hint)
  } else if (unitOf('usd', most) === 0) {
    const message = '`max_usd_per_day: 0` leaves no copy'
    say(['mirror', 'max_usd_per_day'], 'error', 'mirrors-nothing', message, 'raise it, or remove `mirror`')
  }
}
