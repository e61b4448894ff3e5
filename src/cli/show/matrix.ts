import type { Config, Inclusion, Plan } from '../../policy/config.ts'
import { table, terminalWidth, widthOf } from '../table.ts'

/**
 * Models and hosted tools by plans: the entry of a plan that includes one, or `-`. Plans that the terminal has no room
 * for stand in another table below.
 */
export function matrixText({ plans, models, tools, aliases }: Config, width: number = terminalWidth()): string {
  const all = [...plans.values()]
  const cells = (includes: (plan: Plan) => Inclusion | undefined) => all.map(plan => includes(plan)?.by ?? '-')
  const modelRows = [...models.values()].map(({ name, kind, tier }) => ({
    heads: [name, kind, tier],
    cells: cells(plan => plan.models.get(name)),
  }))
  const aliasRows = [...aliases.values()].map(({ name, model }) => ({
    heads: [name, 'alias', model.name],
    cells: cells(plan => plan.models.get(model.name)),
  }))
  const toolRows = [...tools.values()].map(({ name }) => ({
    heads: [name],
    cells: cells(plan => plan.tools.get(name)),
  }))
  const named = all.map(({ name }) => name)
  const modelTables = tablesIn(width, [{ heads: ['MODEL', 'KIND', 'TIER'], cells: named }, ...modelRows, ...aliasRows])
  const toolTables = toolRows.length === 0 ? [] : tablesIn(width, [{ heads: ['TOOL'], cells: named }, ...toolRows])
  return `${[...modelTables, ...toolTables].join('\n\n')}\n`
}

interface Row {
  readonly heads: readonly string[]
  readonly cells: readonly string[]
}

/** Tables of as many columns as there is room for, one at least; each begins with the heads of its rows. */
function tablesIn(room: number, rows: readonly Row[]): readonly string[] {
  const tables: string[] = []
  const columns = rows[0]?.cells.length ?? 0
  const tableOf = (from: number, to: number) =>
    table(rows.map(({ heads, cells }) => [...heads, ...cells.slice(from, to)]))
  for (let from = 0, to = 1; from < columns || tables.length === 0; from = to, to++) {
    while (to < columns && widest(tableOf(from, to + 1)) <= room) to++
    tables.push(tableOf(from, to))
  }
  return tables
}

const widest = (text: string): number => Math.max(...text.split('\n').map(widthOf))

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
