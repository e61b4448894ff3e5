import { isAbsolute, relative, sep } from 'node:path'
import type { Settings } from '../settings.ts'
import type { Sides } from './named.ts'
import type { Rule, Said } from './rule.ts'
import { isChanged } from './secrets.ts'
import { text } from './show.ts'

/** Paths are the same where they are, or where they are as seen from their configuration. */
export function pathChange(
  field: string,
  from: string,
  to: string,
  { before, after }: Sides,
  shown: (path: string) => string = text,
): readonly Said[] {
  const [was, is] = [relative(before.directory, from), relative(after.directory, to)]
  if (from === to || was === is) return []
  const [wasShown, isShown] = [shown(pathText(was, from)), shown(pathText(is, to))]
  return [{ field, from: wasShown, to: isShown, text: `${field} ${wasShown} → ${isShown}`, effect: 'plumbing' }]
}

const pathText = (below: string, path: string): string =>
  below.split(sep)[0] === '..' || isAbsolute(below) ? path : `./${below}`

export function storeRule(sides: Sides): Rule<Settings['store']> {
  const { before, after, isUnknown } = sides
  const embedded = (path: string) => `embedded:${path}`
  return (from, to) => {
    const field = 'store'
    if (from.kind === 'embedded' && to.kind === 'embedded')
      return pathChange(field, from.path, to.path, sides, embedded)
    const [was, is] = [
      from.kind === 'redis' ? from.shown : embedded(pathText(relative(before.directory, from.path), from.path)),
      to.kind === 'redis' ? to.shown : embedded(pathText(relative(after.directory, to.path), to.path)),
    ]
    if (was !== is) return [{ field, from: was, to: is, text: `${field} ${was} → ${is}`, effect: 'plumbing' }]
    if (from.kind !== 'redis' || to.kind !== 'redis' || !isChanged(from.url, to.url, isUnknown)) return []
    return [{ field, from: was, to: is, text: 'the user or password of the store changed', effect: 'plumbing' }]
  }
}
