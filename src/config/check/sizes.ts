import type { ConfigFile } from '../file.ts'
import type { Report } from '../problem.ts'
import type { Union } from '../read/merge.ts'
import { entriesOf, isEmpty, isText, type MapNode, nodeAt } from '../read/tree.ts'
import { DEFAULTS } from '../resolve/defaults.ts'
import type { Unsure } from './refs.ts'
import { suggestion } from './suggest.ts'

/** The sizes of images that may be asked for, in their order. */
export const imageSizesOf = ({ limits }: ConfigFile): readonly string[] => limits?.image_sizes ?? DEFAULTS.imageSizes

/** Reports every size that an image model prices and `limits.image_sizes` lacks, unless the list itself is in doubt. */
export function checkSizes(root: MapNode, main: ConfigFile, { models }: Union, unsure: Unsure, report: Report): void {
  if (unsure.has('limits') || (root.entries.has('limits') && !main.limits)) return
  const known = imageSizesOf(main)
  for (const { name, node } of models.values()) {
    const kind = nodeAt(node, ['kind'])
    if (!isText(kind) || kind.value !== 'image') continue
    for (const [size, { key, value }] of entriesOf(nodeAt(node, ['usd_per_image']))) {
      if (known.includes(size) || isEmpty(value)) continue
      const message = `model \`${name}\` prices \`${size}\`, which \`limits.image_sizes\` does not list`
      report({ ...key, rule: 'unknown-size', severity: 'error', message, hint: suggestion(size, known) })
    }
  }
}
