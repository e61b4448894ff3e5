import { isMap, type YAMLMap } from 'yaml'
import type { Config } from '../../policy/config.ts'
import type { Section } from './shown-policy.ts'

/** A section of more entries has each on a line. */
const MOST_SPREAD = 50
/** A plan of more models names the entries that include them. */
const MOST_NAMED = 50

/** A large configuration, short enough to read: the plans that include many models do it by the entries of the files. */
export function withBriefPlans(shown: Section, { plans }: Config): Section {
  const brief = Object.entries(shown.plans as Section).map(([name, plan]) => {
    const models = [...(plans.get(name)?.models.values() ?? [])]
    const entries = [...new Set(models.map(({ by }) => by))]
    if (models.length <= MOST_NAMED || entries.length === models.length) return [name, plan]
    return [name, { ...(plan as Section), models: entries.includes('all') ? 'all' : entries }]
  })
  return { ...shown, plans: Object.fromEntries(brief) }
}

/** The entries that stand on one line each, since their section has so many. */
export function entriesOnLines(root: YAMLMap): ReadonlySet<unknown> {
  const sections = root.items.flatMap(({ value }) => (isMap(value) ? [value] : []))
  const many = sections.filter(({ items }) => items.length > MOST_SPREAD)
  return new Set(many.flatMap(({ items }) => items.map(({ value }) => value)))
}
