import type { Config, Inclusion } from '../policy/config.ts'
import { table } from './talk.ts'

/** Models and hosted tools by plans: the entry of a plan that includes one, or `-`. */
export function matrixText({ plans, models, tools, aliases }: Config): string {
  const all = [...plans.values()]
  const named = all.map(({ name }) => name)
  const cells = (includes: (plan: (typeof all)[number]) => Inclusion | undefined) =>
    all.map(plan => includes(plan)?.by ?? '-')
  const modelRows = [...models.values()].map(({ name, kind, tier }) => [
    name,
    kind,
    tier,
    ...cells(plan => plan.models.get(name)),
  ])
  const aliasRows = [...aliases.values()].map(({ name, model }) => [
    name,
    'alias',
    model.name,
    ...cells(plan => plan.models.get(model.name)),
  ])
  const toolRows = [...tools.values()].map(({ name }) => [name, ...cells(plan => plan.tools.get(name))])
  const toolTable = toolRows.length === 0 ? '' : `\n${table([['TOOL', ...named], ...toolRows])}\n`
  return `${table([['MODEL', 'KIND', 'TIER', ...named], ...modelRows, ...aliasRows])}\n${toolTable}`
}

/** The same for programs: null where a plan does not include it. */
export function matrixJson({ plans, models, tools }: Config): object {
  const cells = (names: Iterable<string>, included: ReadonlyMap<string, Inclusion>) =>
    Object.fromEntries([...names].map(name => [name, cell(included.get(name))]))
  const data = [...plans.values()].map(plan => ({
    plan: plan.name,
    models: cells(models.keys(), plan.models),
    tools: cells(tools.keys(), plan.tools),
  }))
  return { object: 'list', data }
}

const cell = (inclusion: Inclusion | undefined) => {
  if (!inclusion) return null
  const { file, line, column } = inclusion.at
  return { by: inclusion.by, at: `${file}:${line}:${column}` }
}
