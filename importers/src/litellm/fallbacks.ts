import { isObject } from '../json.ts'
import type { Left, Section } from '../section.ts'

/** A model, and those that answer in its place. */
interface Pair {
  readonly group: string
  readonly others: readonly unknown[]
  readonly path: string
}

/**
 * Models that answer in place of others where these fail, and what of them has no place here. `groupOf` knows the model
 * of an id that a backend has.
 */
export function fallbacksOf(router: Section, settings: Section, groupOf: (text: string) => string) {
  const left: Left[] = []
  const both = [router, settings]
  const own = pairsIn(router, 'fallbacks', left)
  const others = pairsIn(settings, 'fallbacks', left)
  if (own.length > 0 && others.length > 0) settings.refuse('fallbacks', 'router_settings.fallbacks takes precedence')
  const usual = (own.length > 0 ? own : others).map(pair => ({
    ...pair,
    others: pair.others.map(each => (typeof each === 'string' ? groupOf(each) : each)),
  }))
  const always = both.flatMap(section => {
    const list = section.take('default_fallbacks')
    return Array.isArray(list) ? list.map(each => groupOf(String(each))) : []
  })
  for (const { path, others: list } of usual)
    if (list.some(each => typeof each !== 'string'))
      left.push({ path, why: 'a fallback with its own fields is not a model' })
  const byGroup = new Map(usual.toReversed().map(pair => [pair.group, pair]))
  const names = [...usual.flatMap(({ group, others: list }) => [group, ...namesIn(list)]), ...always]
  return {
    after: (group: string, isChat: boolean) => afterOf(byGroup, isChat ? always : [], group, left),
    /** Those for prompts that are too long for a model. */
    long: both.flatMap(section => pairsIn(section, 'context_window_fallbacks', left)),
    names: names.filter(name => name !== '*'),
    left,
  }
}

/** The fallbacks of a model, or else the default ones, each followed by its own. Drops fallbacks beyond the first. */
function afterOf(byGroup: ReadonlyMap<string, Pair>, always: readonly string[], group: string, left: Left[]) {
  const found = new Set<string>()
  let isCut = false
  const walk = (from: string) => {
    const pair = byGroup.get(from) ?? byGroup.get('*')
    for (const other of pair ? namesIn(pair.others) : always) {
      if (other === group || found.has(other)) continue
      if (found.size >= MOST_AFTER) {
        isCut = true
        return
      }
      found.add(other)
      walk(other)
    }
  }
  walk(group)
  if (isCut)
    left.push({ path: `fallbacks.${group}`, why: `more than ${MOST_AFTER} fallbacks: only the first are imported` })
  return [...found]
}

/** Each is waited for before the next one is asked. */
const MOST_AFTER = 20

function pairsIn(section: Section, field: string, left: Left[]): readonly Pair[] {
  const list = section.take(field)
  return (Array.isArray(list) ? list : []).flatMap((each: unknown, at) => {
    if (isObject(each))
      return Object.entries(each).map(([group, others]) => ({
        ...{ group, others: Array.isArray(others) ? others : [others] },
        path: `${section.path}.${field}.${group}`,
      }))
    left.push({ path: `${section.path}.${field}[${at}]`, why: 'it is not a map from a model to others' })
    return []
  })
}

const namesIn = (list: readonly unknown[]) => list.flatMap(each => (typeof each === 'string' ? each : []))
