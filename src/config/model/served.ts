import type { ServedPoolSection } from '../file.ts'
import { isText, type Node, nodeAt, type ScalarNode } from './tree.ts'

/** The name of the pool in an entry of `serve`. */
export const servedName = (entry: ServedPoolSection): string => (typeof entry === 'string' ? entry : entry.pool)

/** The names of the pools in `serve`, in its order. */
export const servedNames = (serve: readonly ServedPoolSection[]): readonly string[] => serve.map(servedName)

/** The pool that copies of a model's requests go to, as it is written. */
export function mirroredText(model: Node): (ScalarNode & { value: string }) | undefined {
  const to = nodeAt(model, ['mirror', 'to'])
  return to && isText(to) ? to : undefined
}

/** The names of the pools in the `serve` of a model, as they are written. */
export function servedTexts(model: Node): readonly (ScalarNode & { value: string })[] {
  const serve = nodeAt(model, ['serve'])
  const items = serve?.is === 'list' ? serve.items : []
  return items.map(item => (isText(item) ? item : nodeAt(item, ['pool']))).filter(isText)
}
