import { shareText, WHOLE } from '../../policy/traffic/share.ts'
import type { ModelSection, StopWhenSection } from '../file.ts'
import { servedName } from '../model/served.ts'
import type { Path } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import type { Say } from '../problem.ts'
import type { MergedFiles } from '../read/merge.ts'

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
  const hint = 'add a pool without one: it serves all other conversations, and those whose pool fails'
  say(['serve'], 'error', 'shares-alone', message, hint)
}

/** Reports canaries that nothing could stop, that nothing is compared with, or whose stop would take a pool from others. */
export function lintCanaries(name: string, model: ModelSection, merged: MergedFiles, say: Say): void {
  for (const [index, entry] of model.serve.entries()) {
    if (typeof entry === 'string' || !entry.canary) continue
    const place = { name, model, index }
    lintRules(place, entry.pool, entry.canary.stop_when, say)
    lintControl(place, entry.pool, entry.canary.stop_when, say)
    lintOthers(place, entry.pool, merged, say)
  }
}

/** The entry of a canary in the `serve` of a model. */
interface CanaryPlace {
  readonly name: string
  readonly model: ModelSection
  readonly index: number
}

const pathOf = ({ index }: CanaryPlace): Path => ['serve', index, 'canary', 'stop_when']

function lintRules(place: CanaryPlace, pool: string, rules: StopWhenSection, say: Say): void {
  const { name, model } = place
  const { errors_over: errors, first_token_p95_over: firstToken } = rules
  if (errors === undefined && firstToken === undefined) {
    const message = `nothing stops the canary \`${pool}\` of model \`${name}\``
    say(pathOf(place), 'error', 'needs-rule', message, 'add `errors_over: 2%`, `first_token_p95_over: 1.5x`, or both')
  }
  if (firstToken === undefined || model.kind === 'chat') return
  const message = `the canary \`${pool}\` has \`first_token_p95_over\`, and model \`${name}\` serves no chats`
  say([...pathOf(place), 'first_token_p95_over'], 'error', 'needs-chat', message, 'use `errors_over`')
}

/** The other pool needs conversations of its own. */
function lintControl(place: CanaryPlace, pool: string, { against }: StopWhenSection, say: Say): void {
  const { name, model, index } = place
  if (!model.serve.includes(against)) {
    const plain = model.serve.filter(each => typeof each === 'string').map(each => `\`${each}\``)
    const message = `the canary \`${pool}\` is compared with \`${against}\`, which \`${name}\` does not list without a share`
    const hint = plain.length > 0 ? `compare it with ${plain.join(' or ')}` : 'add it to `serve`'
    say([...pathOf(place), 'against'], 'error', 'not-compared', message, hint)
    return
  }
  const sum = model.serve.reduce((sum, each) => sum + (typeof each === 'string' ? 0 : unitOf('percent', each.share)), 0)
  if (sum < WHOLE) return
  const message = `the shares of model \`${name}\` leave \`${against}\` no conversations to compare a canary with`
  say(['serve', index, 'share'], 'error', 'not-compared', message, 'lower them to less than 100% together')
}

/** The stop of a canary drains its pool: another model must not lose its only way by that. */
function lintOthers({ name, index }: CanaryPlace, pool: string, { models }: MergedFiles, say: Say): void {
  const other = [...models.values()].find(each => each.name !== name && each.data?.serve.includes(pool))
  if (!other) return
  const message = `the canary \`${pool}\` of model \`${name}\` serves model \`${other.name}\` without a share`
  const hint = 'declare the replicas as another pool for that model: a canary that is stopped is drained'
  say(['serve', index, 'canary'], 'error', 'canary-serves-others', message, hint)
}
