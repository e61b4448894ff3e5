import type { Report } from '../config/problem.ts'
import { entriesOf, type MapNode, type Node, nodeAt } from '../config/read/tree.ts'

/** What fields of a file of tests were called before, and what they are called. */
const USAGE: Readonly<Record<string, string>> = { held_usd: 'reserved_usd', under_way: 'concurrent' }
const RENAMED = {
  usage: USAGE,
  expect: { rule: 'route' },
} as const

/** What a usage by an old name is called; undefined for any other name. */
export const usageNowCalled = (name: string): string | undefined =>
  Object.hasOwn(USAGE, name) ? USAGE[name] : undefined

/** Reports fields by an old name, with the new one. */
export function checkRenamed(root: MapNode, report: Report): void {
  const cases = nodeAt(root, ['cases'])
  for (const node of [nodeAt(root, ['given']), ...(cases?.is === 'list' ? cases.items : [])]) {
    if (!node) continue
    checkIn(nodeAt(node, ['usage']), RENAMED.usage, report)
    checkIn(nodeAt(node, ['expect']), RENAMED.expect, report)
  }
}

function checkIn(node: Node | undefined, names: Readonly<Record<string, string>>, report: Report): void {
  for (const [name, { key }] of entriesOf(node)) {
    const now = names[name]
    if (now === undefined) continue
    const message = `unknown field \`${name}\``
    report({ ...key, rule: 'unknown-field', severity: 'error', message, hint: `it is called \`${now}\`` })
  }
}
