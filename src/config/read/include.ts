import type { Disk } from './disk.ts'
import { glob } from './glob.ts'
import { type Report, readSource, type Source } from './source.ts'
import { isText, type MapNode, nodeAt, textsOf } from './tree.ts'

/** Reads the files that a main file includes, each once. An entry is undefined where a file could not be had. */
export function readIncludes(
  main: Source,
  root: MapNode,
  { directory, cwd, disk }: { readonly directory: string; readonly cwd: string; readonly disk?: Disk },
  report: Report,
): readonly (Source | undefined)[] {
  const node = nodeAt(root, ['include'])
  const seen = new Set([main.path])
  // An include that is not a list of texts may have meant any file.
  if (node && (node.is !== 'list' || !node.items.every(isText))) return [undefined]
  return textsOf(node).flatMap(({ value, written, span }) => {
    const found = value === '' ? [] : glob(value, directory, disk)
    if (found.length === 0) {
      const message = `no file matches \`${written}\``
      const hint = value.includes('**')
        ? '`**` has no meaning here; `*` matches within one directory'
        : `the pattern starts at ${directory}`
      report({ ...span, rule: 'include-nothing', severity: 'error', message, hint })
      return [undefined]
    }
    const fresh = found.filter(path => !seen.has(path))
    for (const path of fresh) seen.add(path)
    return fresh.map(path => readSource(path, cwd, span, report, disk))
  })
}
