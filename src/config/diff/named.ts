import type { Declared, Place } from '../../policy/config.ts'
import type { Loaded } from '../settings.ts'
import type { Change, Said } from './rule.ts'

/** What to say of things that have names: of one that is gone, one that is new, and one that stayed. */
export interface Telling<T> {
  readonly subject: (name: string) => string
  readonly gone: (thing: T) => Said
  readonly added: (thing: T) => Said
  readonly stayed: (before: T, after: T) => readonly Change[]
}

/** Compares what two configurations call alike. Their order means nothing. */
export function compareNamed<T extends Declared>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  candidate: Loaded,
  { subject, gone, added, stayed }: Telling<T>,
): readonly Change[] {
  const changes: Change[] = []
  for (const [name, thing] of before)
    if (!after.has(name))
      changes.push({ ...gone(thing), subject: subject(name), at: whereItStood(name, before, after, candidate) })
  for (const [name, thing] of after) {
    const was = before.get(name)
    if (was) changes.push(...stayed(was, thing))
    else changes.push({ ...added(thing), subject: subject(name), at: thing.at })
  }
  return changes
}

/** What is gone has no place: the one before it has, or else the first of its kind, or the main file. */
function whereItStood(
  name: string,
  before: ReadonlyMap<string, Declared>,
  after: ReadonlyMap<string, Declared>,
  candidate: Loaded,
): Place {
  const names = [...before.keys()]
  const above = names.slice(0, names.indexOf(name)).findLast(each => after.has(each))
  const [first] = after.values()
  return (above === undefined ? first : after.get(above))?.at ?? placeIn(candidate, '')
}

/** A configuration, and the directory of its main file, where relative paths start. Absolute. */
export interface Side {
  readonly loaded: Loaded
  readonly directory: string
}

/** The two that are compared. */
export interface Sides {
  readonly before: Side
  readonly after: Side
  /** Whether a text stands for one that is not known, so that it differs from nothing. */
  readonly isUnknown: (text: string) => boolean
}

/** The place of a field of the main file, such as `server.listen`; else of its section, or of the file. */
export function placeIn({ fields, files }: Loaded, path: string): Place {
  const [section = ''] = path.split('.')
  const { file, line, column } = fields.get(path) ?? fields.get(section) ?? { file: files[0] ?? '', line: 1, column: 1 }
  return { file, line, column }
}
