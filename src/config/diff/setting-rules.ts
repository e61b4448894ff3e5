import { isAbsolute, relative, sep } from 'node:path'
import { type Part, SECTION_SETTINGS, type SectionSetting, type SectionSettings, unitAt } from '../section-settings.ts'
import type { Secret } from '../settings.ts'
import {
  type Effect,
  highIsMore,
  other,
  parts,
  plumbing,
  type Rule,
  type Rules,
  type Said,
  type Sides,
} from './changes.ts'
import { isChanged, TEXTS, text, without } from './values.ts'

/** `server.drain_delay 0s → 5s` */
export const setting =
  <V>(field: string, show: (value: NonNullable<V>) => string, feel: (from: V, to: V) => Effect): Rule<V> =>
  (from, to) => {
    const [was, is] = [from, to].map(each => (each === undefined || each === null ? null : show(each)))
    if (was === undefined || is === undefined || was === is) return []
    return [{ field, from: was, to: is, text: `${field} ${was ?? 'none'} → ${is ?? 'none'}`, effect: feel(from, to) }]
  }

const FEELS: Readonly<Record<SectionSetting['change'], (from: unknown, to: unknown) => Effect>> = {
  nothing: plumbing,
  'high is more': (from, to) => highIsMore(from as number | undefined, to as number | undefined),
  'on is more': (_from, to) => (to ? 'more' : 'less'),
  other,
  lost: () => 'lost',
}

function ruleOf({ path, change }: SectionSetting): Rule<never> {
  const unit = unitAt(path)
  return setting<string | number | boolean>(
    path,
    value => (unit === undefined ? text(value) : TEXTS[unit](Number(value))),
    FEELS[change],
  )
}

/** Rules of all settings that one field decides, as their rows say. */
export const SECTIONS = Object.fromEntries(
  Object.entries(SECTION_SETTINGS).map(([part, rows]) => [
    part,
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, ruleOf(row)])),
  ]),
) as unknown as { readonly [P in Part]: Rules<SectionSettings<P>> }

export const lost = (field: string, said: string): Said => ({
  field,
  from: field,
  to: null,
  text: said,
  effect: 'lost',
})
export const won = (field: string, said: string): Said => ({ field, from: null, to: field, text: said, effect: 'more' })

export const plain = (field: string, said: string): Said => ({
  field,
  from: null,
  to: null,
  text: said,
  effect: 'plumbing',
})

/** Rules of a section that may be left out. */
export const optional =
  <T extends object>(
    rules: Rules<T>,
    { gone, added }: { readonly gone?: Said; readonly added?: Said },
  ): Rule<T | undefined> =>
  (from, to, subject) => {
    if (from && to) return parts(rules)(from, to, subject)
    if (!from && !to) return []
    const said = from ? gone : added
    return said ? [said] : []
  }

/** The change of a secret: values are compared where both are known, and never shown. */
export function secretChange(
  field: string,
  what: string,
  from: Secret | undefined,
  to: Secret | undefined,
  { isUnknown }: Sides,
): readonly Said[] {
  if (!from && !to) return []
  if (!from) return [plain(field, `${what} is new`)]
  if (!to) return [plain(field, `${what} is gone`)]
  return isChanged(from, to, isUnknown) ? [plain(field, `${what} changed`)] : []
}

/** One change for each member that came or went: `acct_1 is no longer an admin`. */
export const membersRule =
  (field: string, is: string): Rule<readonly string[]> =>
  (from, to) => [
    ...without(from, to).map((name): Said => {
      return { field, from: name, to: null, text: `${name} ${is.replace('is ', 'is no longer ')}`, effect: 'plumbing' }
    }),
    ...without(to, from).map((name): Said => {
      return { field, from: null, to: name, text: `${name} ${is.replace('is ', 'is now ')}`, effect: 'plumbing' }
    }),
  ]

/** The change of a path. Paths that are equal as seen from their own configurations did not change. */
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

export const pathText = (below: string, path: string): string =>
  below.split(sep)[0] === '..' || isAbsolute(below) ? path : `./${below}`
