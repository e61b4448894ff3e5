import { compose } from './compose.ts'
import { documentOf, EMPTY } from './document.ts'
import type { Env } from './interpolate.ts'
import type { Read } from './reads.ts'
import type { Report, Source } from './source.ts'
import { isBroken, type MapNode } from './tree.ts'

/** Parses one file into a tree. Reports everything YAML has against it; undefined when there is no tree to look at. */
export function parse(
  source: Source,
  env: Env,
  report: Report,
  read: (read: Read) => void = () => {},
): MapNode | undefined {
  const written = documentOf(source, report)
  if (!written) return undefined
  const { document, locate } = written
  const root = compose(document, { locate, env, report, read })
  if (root?.is === 'map') return root
  if (!root || isBroken(root)) return undefined
  const [at, rule, message, hint] =
    root.is === 'scalar' && root.value === null
      ? ([locate(0, 1), ...EMPTY] as const)
      : ([root.span, 'not-a-map', 'the file is not a map', 'write `name: value` on each line'] as const)
  report({ ...at, rule, severity: 'error', message, hint })
  return undefined
}
