import { isObject } from '../json.ts'
import type { Left, Section } from '../section.ts'
import type { Leaf } from './targets.ts'

/** The choices of a conditional config: a model for each target, and the names that lead to it. Undefined for other configs. */
export function conditionsOf(strategy: Section, leaves: readonly Leaf[]) {
  if (strategy.text('mode') !== 'conditional') return undefined
  const targets = new Map<string, readonly Leaf[]>()
  for (const leaf of leaves) targets.set(leaf.target, [...(targets.get(leaf.target) ?? []), leaf])
  const left: Left[] = []
  const asked = strategy.list('conditions').flatMap(condition => {
    const to = condition.text('then') ?? ''
    const names = namesIn(condition.take('query'))
    if (names.length === 0) left.push({ path: `${condition.path}.query`, why: 'use a route on an alias' })
    return names.map(from => ({ from, to, path: `${condition.path}.query` }))
  })
  return {
    ...{ targets, left, usual: strategy.text('default') },
    aliases: asked.filter(({ from, to }) => from !== to),
    /** The model that clients ask for where a condition leads to the target. */
    modelOf: (target: string) => asked.find(({ to }) => to === target)?.from,
  }
}

/** The names of models that a condition asks for, where it asks for nothing else. */
function namesIn(query: unknown): readonly string[] {
  const fields = isObject(query) ? Object.entries(query) : []
  const [[field, test] = []] = fields
  if (fields.length !== 1 || field !== 'params.model') return []
  if (typeof test === 'string') return [test]
  if (!isObject(test) || Object.keys(test).length !== 1) return []
  const names = Array.isArray(test.$in) ? test.$in : [test.$eq]
  return names.flatMap(name => (typeof name === 'string' ? name : []))
}
