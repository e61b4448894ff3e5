import { isObject } from '../../../wire/json-safety.ts'
import type { Deployment } from '../deployment.ts'
import { Variables } from '../names.ts'
import type { Groups } from '../pools.ts'
import type { Report } from '../report.ts'
import { deploymentOf } from './entry.ts'

/** Entries by what clients call them. Patterns stand for the names that were given, and are reported otherwise. */
export function groupsOf(list: unknown, names: readonly string[], report: Report): Groups {
  const groups = new Map<string, Deployment[]>()
  const variables = new Variables()
  const entries = Array.isArray(list) ? list : []
  const exact = new Set(entries.map(entry => (isObject(entry) ? entry.model_name : undefined)))
  for (const [at, entry] of entries.entries()) {
    const path = `model_list[${at}]`
    const pattern =
      isObject(entry) && typeof entry.model_name === 'string' && entry.model_name.includes('*')
        ? entry.model_name
        : undefined
    const meant =
      pattern === undefined
        ? [entry]
        : named(
            entry,
            pattern,
            names.filter(name => !exact.has(name)),
          )
    if (meant.length === 0)
      report.put('models', [
        { path, why: `\`${pattern}\` is no name of a model: say with --names which of them clients use` },
      ])
    for (const each of meant) {
      const deployment = deploymentOf(each, path, variables)
      groups.set(deployment.name, [...(groups.get(deployment.name) ?? []), deployment])
    }
  }
  for (const own of groups.values()) own.sort((a, b) => a.order - b.order)
  return groups
}

/** The entries that a pattern stands for, with what its star is in each. */
function named(entry: unknown, pattern: string, names: readonly string[]): readonly unknown[] {
  const [before = '', after = ''] = pattern.split('*')
  const params = isObject(entry) && isObject(entry.litellm_params) ? entry.litellm_params : {}
  return names
    .filter(name => name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after))
    .map(name => {
      const star = name.slice(before.length, name.length - after.length)
      const model = String(params.model ?? '').replace('*', star)
      return { ...(entry as object), model_name: name, litellm_params: { ...params, model } }
    })
}
