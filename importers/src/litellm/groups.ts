import type { Deployment } from '../deployment.ts'
import { isObject } from '../json.ts'
import { pushTo } from '../lists.ts'
import { withVariables } from '../names.ts'
import type { Groups } from '../pools.ts'
import type { Report } from '../report.ts'
import type { Credentials } from './credentials.ts'
import { deploymentOf } from './entry.ts'
import { filled, mostSpecific, refuseTooMany } from './patterns.ts'

/** The names that models are asked for by. */
export interface Asked {
  /** The names that clients write for patterns. */
  readonly names: readonly string[]
  /** The models that other settings of the file name. */
  readonly mentioned: readonly string[]
  readonly credentials: Credentials
}

/** Entries by what clients call them. Patterns stand for the names that were given, and are reported otherwise. */
export function groupsOf(list: unknown, asked: Asked, report: Report): Groups {
  const entries = (Array.isArray(list) ? list : []).map((value: unknown, at) => {
    return { value, path: `model_list[${at}]`, name: nameOf(value) }
  })
  const given = new Set(asked.names)
  const matched = matchedBy(
    entries.flatMap(({ name }) => name ?? []),
    asked,
    report,
  )
  const meant = entries.flatMap(({ value, path, name }) => {
    const own = name === undefined ? undefined : matched.get(name)
    if (name !== undefined && own && !own.some(each => given.has(each)))
      report.put('models', [
        { path, why: `\`${name}\` is not a model name: list the names that clients use with --names` },
      ])
    const called = name === undefined || !own ? [value] : own.map(each => named(value, name, each))
    return called
      .flatMap(each => perOrganization(asked.credentials.resolved(each)))
      .map(each => ({ value: each, path }))
  })
  const deployments = withVariables(variables => meant.map(({ value, path }) => deploymentOf(value, path, variables)))
  const groups = new Map<string, Deployment[]>()
  for (const each of deployments) pushTo(groups, each.name, each)
  for (const own of groups.values()) own.sort((a, b) => a.order - b.order)
  return groups
}

/** The names that each pattern stands for. A name that was given for nothing is reported. */
function matchedBy(entries: readonly string[], { names, mentioned }: Asked, report: Report) {
  const [own, given] = [new Set(entries), new Set(names)]
  const asking = new Set([...names, ...mentioned])
  const matched = new Map(entries.filter(name => name.includes('*')).map(name => [name, [] as string[]]))
  refuseTooMany(matched.size, asking.size)
  for (const name of asking) {
    if (own.has(name)) continue
    const pattern = mostSpecific(matched.keys(), name)
    if (pattern !== undefined) matched.get(pattern)?.push(name)
    else if (given.has(name))
      report.put('models', [{ path: `--names ${name}`, why: 'no model_name in the file matches it' }])
  }
  return matched
}

const nameOf = (entry: unknown): string | undefined =>
  isObject(entry) && typeof entry.model_name === 'string' ? entry.model_name : undefined

/** LiteLLM makes a deployment for each organization of a list. */
function perOrganization(entry: unknown): readonly unknown[] {
  const params = isObject(entry) && isObject(entry.litellm_params) ? entry.litellm_params : {}
  const { organization } = params
  return Array.isArray(organization)
    ? organization.map(each => ({ ...(entry as object), litellm_params: { ...params, organization: each } }))
    : [entry]
}

/** The entry that a pattern stands for, with what its stars are in the name. */
function named(entry: unknown, pattern: string, name: string): unknown {
  const params = isObject(entry) && isObject(entry.litellm_params) ? entry.litellm_params : {}
  const model = filled(String(params.model ?? pattern), pattern, name)
  return { ...(entry as object), model_name: name, litellm_params: { ...params, model } }
}
