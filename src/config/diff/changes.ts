import type { Declared, Place } from '../../policy/config.ts'
import type { Loaded } from '../settings.ts'

/** The effect of a change on clients: refusals, less for them, something else, more for them; or nothing. */
export type Effect = 'lost' | 'less' | 'other' | 'more' | 'plumbing'

/** One change of one field in one sentence. */
export interface Said {
  /** As the files call it: `rpm`, `server.listen`. */
  readonly field: string
  /** As the files would write them; null where there is none. */
  readonly from: string | null
  readonly to: string | null
  /** Without a full stop. */
  readonly text: string
  readonly effect: Effect
  /** Where it is written, if not where the field is. */
  readonly at?: Place
}

/** A change in meaning, and the place in the candidate's files that makes it. */
export interface Change extends Said {
  /** `plan pro`, `svc-pro`, `server`. */
  readonly subject: string
  readonly at: Place
}

/** The meaning of a field's change; none where it means nothing. */
export type Rule<V> = (from: V, to: V, subject: string) => readonly Said[]

/** A rule for every field there is, so that none is forgotten: the compiler says so. */
export type Rules<T> = { readonly [K in keyof T]-?: Rule<T[K]> }

/** The fields of a declared thing that are compared: all but its name and places. */
export type Own<T extends Declared> = Omit<T, keyof Declared>

/** Whether a change is more or less for clients. A value that is left out has no bound. */
type Feel<V> = (from: V, to: V) => Effect

export const highIsMore: Feel<number | undefined> = (from = Infinity, to = Infinity) => (to > from ? 'more' : 'less')
/** As above, for a field that has this value where it is left out. */
export const highIsMoreFrom =
  (absent: number): Feel<number | undefined> =>
  (from = absent, to = absent) =>
    highIsMore(from, to)
export const lowIsMore: Feel<number | undefined> = (from = 0, to = 0) => (to < from ? 'more' : 'less')
export const plumbing = (): Effect => 'plumbing'
export const other = (): Effect => 'other'

/** `plan pro: rpm 120 → 200`. Values that are shown alike are the same. */
export const value =
  <V>(field: string, show: (value: NonNullable<V>) => string, feel: Feel<V>, absent = 'none'): Rule<V> =>
  (from, to, subject) => {
    const [before, after] = [from, to].map(each => (each === undefined || each === null ? null : show(each)))
    if (before === undefined || after === undefined || before === after) return []
    const text = `${subject}: ${field} ${before ?? absent} → ${after ?? absent}`
    return [{ field, from: before, to: after, text, effect: feel(from, to) }]
  }

/** A rule that says nothing where a value that is left out is written as what it stands for, or the other way round. */
export const unlessWrittenOut =
  <V extends string | number | boolean>(absent: V, rule: Rule<V | undefined>): Rule<V | undefined> =>
  (from, to, subject) =>
    (from ?? absent) === (to ?? absent) ? [] : rule(from, to, subject)

/** The changes of all fields, each at its place. */
export function compare<T extends object>(
  rules: Rules<T>,
  subject: string,
  [before, after]: readonly [T, T],
  placeOf: (field: string) => Place,
): readonly Change[] {
  return said(rules, subject, before, after).map(each => ({ ...each, subject, at: each.at ?? placeOf(each.field) }))
}

/** The words of the rules on all fields, in their order. */
function said<T extends object>(rules: Rules<T>, subject: string, before: T, after: T): readonly Said[] {
  const one = <K extends keyof T>(field: K) => {
    const rule: Rule<T[K]> = rules[field]
    return rule(before[field], after[field], subject)
  }
  return keysOf(rules).flatMap(one)
}

/** Rules are written out, so that they have no keys beside those of their type. */
const keysOf = <T extends object>(rules: Rules<T>): (keyof T)[] => Object.keys(rules) as (keyof T)[]

/** Rules of what belongs together, such as the parts of `eject`. */
export const parts =
  <T extends object>(rules: Rules<T>): Rule<T> =>
  (from, to, subject) =>
    said(rules, subject, from, to)

/** The rule of a field whose changes are not reported. */
export const same =
  <V>(): Rule<V> =>
  () => []

/** Puts changes that clients feel most first; the rest stays in its order. */
export const inOrder = (changes: readonly Change[]): readonly Change[] =>
  ORDER.flatMap(effect => changes.filter(change => change.effect === effect))

const ORDER: readonly Effect[] = ['lost', 'less', 'other', 'more', 'plumbing']

/** The words for things that have names: for one that is gone, one that is new, and one that stayed. */
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

/** A thing that is gone has no place: its change is at the thing before it, or else the first of its kind, or the main file. */
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
  /** Whether a text is a stand-in for an unknown value, which then differs from nothing. */
  readonly isUnknown: (text: string) => boolean
}

/** The place of a field of the main file, such as `server.listen`; else of its section, or of the file. */
export function placeIn({ fields, files }: Loaded, path: string): Place {
  const [section = ''] = path.split('.')
  const { file, line, column } = fields.get(path) ?? fields.get(section) ?? { file: files[0] ?? '', line: 1, column: 1 }
  return { file, line, column }
}
