import type { ModelSection, PlanSection, PoolSection } from './file.ts'
import { lintModel } from './lint-model.ts'
import type { Problem } from './problem.ts'
import type { Report } from './source.ts'
import { type Node, nodeAt, type Path, shown } from './tree.ts'
import type { Declaration, Union } from './unite.ts'
import { unitOf } from './units.ts'

/** The least tokens a chat of any use takes: 16 of output, 16 for its message, and a word. */
const LEAST_REQUEST = 16 + 16 + 1
/** The openai SDK gives up after as long. */
const SDK_TIMEOUT_MS = 600_000

/** Reports at a path below a node, or at the node when the path leads nowhere. */
export type Say = (path: Path, severity: Problem['severity'], rule: string, message: string, hint: string) => void

/** Reports what the schema allows and what still cannot work, or is hardly meant. */
export function lint(union: Union, report: Report): void {
  for (const { name, at } of union.aliases.values()) {
    if (!union.models.has(name)) continue
    const message = `alias \`${name}\` is named like a model`
    const hint = 'rename the alias: clients could not tell them apart'
    report({ ...at, rule: 'alias-shadows-model', severity: 'error', message, hint })
  }
  for (const { name, node, data } of union.plans.values()) if (data) lintPlan(name, data, union, sayer(node, report))
  for (const { name, node, data } of union.models.values()) if (data) lintModel(name, data, sayer(node, report))
  for (const { name, node, data } of union.pools.values()) if (data) lintPool(name, data, node, sayer(node, report))
}

/** Reports below a node. */
export const sayer =
  (node: Node, report: Report): Say =>
  (path, severity, rule, message, hint) =>
    report({ ...(nodeAt(node, path) ?? node).span, severity, rule, message, hint })

function lintPlan(name: string, plan: PlanSection, { models }: Union, say: Say): void {
  const entries = [plan.models].flat()
  const chats = () => [...models.values()].some(model => entries.some(by => includes(by, model, 'chat')))
  if (unitOf('count', plan.tpm) < LEAST_REQUEST && chats()) {
    const message = `plan \`${name}\` allows fewer tokens in a minute than any chat needs`
    say(['tpm'], 'error', 'tpm-too-small', message, `the smallest useful request takes ${LEAST_REQUEST}`)
  }
}

/** Whether an entry of a plan includes a model without mistakes, of a kind if one is given. */
export const includes = (by: string, { name, data }: Declaration<ModelSection>, kind = data?.kind): boolean =>
  data !== undefined && data.kind === kind && (by === 'all' || by === name || by === `tier:${data.tier}`)

function lintPool(name: string, pool: PoolSection, node: Node, say: Say): void {
  lintFirstContent(pool.first_content_timeout, ['first_content_timeout'], say)
  const seen = new Set<string>()
  for (const [index, url] of pool.replicas.entries()) {
    const base = url.replace(/\/+$/, '')
    if (seen.has(base)) {
      const message = `\`${shown(nodeAt(node, ['replicas', index]))}\` stands twice in \`replicas\``
      say(
        ['replicas', index],
        'error',
        'duplicate-entry',
        message,
        `pool \`${name}\` would send to it twice as often: remove one`,
      )
    }
    seen.add(base)
  }
}

/** Warns of a wait that no client stays for. */
export function lintFirstContent(written: string | undefined, path: Path, say: Say): void {
  if (written === undefined || unitOf('duration', written) <= SDK_TIMEOUT_MS) return
  say(path, 'warning', 'timeout-too-long', 'stock SDKs give up after 600s', 'clients will have left before this passes')
}
