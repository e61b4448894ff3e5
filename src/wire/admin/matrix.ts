import type { Config, Inclusion } from '../../policy/config.ts'

/** Models and hosted tools by plan, and what each plan allows; null where a plan does not include one. */
export function shownMatrix({ plans, models, tools }: Config): object {
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
