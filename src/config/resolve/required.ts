import type { Unsure } from '../check/refs.ts'
import { meant } from '../check/suggest.ts'
import type { Report } from '../problem.ts'
import type { Union } from '../read/merge.ts'
import type { MapNode, Span } from '../read/tree.ts'

const SECTIONS = ['plans', 'models', 'aliases', 'default_model', 'pools', 'limits', 'hosted_tools'] as const

/**
 * The sections of which something may be missing: all of them when a file could not be read; else those
 * that are not maps, or stand there under a misspelt name. What would follow from that is not reported.
 */
export function unsureOf(roots: readonly (MapNode | undefined)[]): Unsure {
  const unsure = new Set<string>()
  for (const root of roots) {
    if (!root) return new Set(SECTIONS)
    for (const [name, { value }] of root.entries) {
      const section = SECTIONS.find(each => each === name)
      const fit = section ?? meant(name, SECTIONS)
      if (fit && (!section || (value.is !== 'map' && section !== 'default_model'))) unsure.add(fit)
    }
  }
  return unsure
}

/** A gateway needs plans, models and pools, and a model for requests that name none. */
export function checkComplete(union: Union, unsure: Unsure, start: Span, report: Report): void {
  for (const section of ['plans', 'models', 'pools'] as const) {
    if (union[section].size > 0 || unsure.has(section)) continue
    const hint = `add \`${section}\`, here or in an included file`
    report({
      ...start,
      rule: 'missing-section',
      severity: 'error',
      message: `no file declares any \`${section}\``,
      hint,
    })
  }
  const [first] = union.models.values()
  if (!first || union.defaultModel || unsure.has('default_model')) return
  const hint =
    'add `default_model`: the alias or model used when a request names none; only `svc-core` need not be named'
  report({ ...first.at, rule: 'missing-field', severity: 'error', message: 'there is no `default_model`', hint })
}

/** Sections that nothing is known of, as if unsure: a reference to them says nothing that `missing-section` did not. */
export const withEmpty = (union: Union, unsure: Unsure): Unsure =>
  new Set([...unsure, ...(['plans', 'models', 'pools'] as const).filter(section => union[section].size === 0)])
