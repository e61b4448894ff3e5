import type { Report } from '../problem.ts'
import type { Declaration, Union } from '../read/merge.ts'
import { isText, type Node, nodeAt, wordsOf } from '../read/tree.ts'

/** Warns of what nothing uses. Only of use when every reference was found. */
export function checkUse({ plans, models, pools, tools }: Union, report: Report): void {
  const included = new Set([...plans.values()].flatMap(({ node }) => wordsAt(node, 'models')))
  const served = new Set([...models.values()].flatMap(({ node }) => wordsAt(node, 'serve')))
  const warn = ({ at }: Declaration<unknown>, rule: string, message: string, hint: string) =>
    report({ ...at, rule, severity: 'warning', message, hint })
  for (const model of models.values()) {
    const tier = nodeAt(model.node, ['tier'])
    if (included.has('all') || included.has(model.name) || (isText(tier) && included.has(`tier:${tier.value}`)))
      continue
    warn(model, 'unused-model', `no plan includes model \`${model.name}\``, 'nobody can use it: add it to a plan')
  }
  const listed = new Set([...plans.values()].flatMap(({ node }) => wordsAt(node, 'tools')))
  for (const tool of tools.values()) {
    if (!listed.has('all') && !listed.has(tool.name))
      warn(tool, 'unused-tool', `no plan includes tool \`${tool.name}\``, 'nobody can use it: add it to a plan')
  }
  for (const pool of pools.values()) {
    if (!served.has(pool.name))
      warn(pool, 'unused-pool', `no model uses pool \`${pool.name}\``, 'add it to the `serve` of a model')
  }
}

const wordsAt = (node: Node, field: string): readonly string[] =>
  wordsOf(nodeAt(node, [field])).map(({ value }) => value)
