import type {
  HostedToolSection,
  ModelSection,
  PassthroughSection,
  PlanSection,
  PoolSection,
  RouteSection,
} from '../file.ts'
import type { PolicyFile } from '../model/schema.ts'
import { entriesOf, isText, type MapNode, type Node, nodeAt, type Span } from '../model/tree.ts'
import type { Report } from '../problem.ts'

/** One file after the schema was held against it. */
export interface Part {
  readonly root: MapNode
  /** The parts without mistakes; a plan, model, pool or section with a mistake is missing. */
  readonly data: PolicyFile | undefined
}

/** Something declared in one of the files. */
export interface Declaration<T> {
  readonly name: string
  readonly at: Span
  readonly node: Node
  /** Undefined where a Problem was reported. */
  readonly data: T | undefined
}

export type Declarations<T> = ReadonlyMap<string, Declaration<T>>

/** The declarations of all files together. */
export interface MergedFiles {
  readonly plans: Declarations<PlanSection>
  readonly models: Declarations<ModelSection>
  readonly aliases: Declarations<string>
  readonly pools: Declarations<PoolSection>
  readonly tools: Declarations<HostedToolSection>
  readonly defaultModel: Declaration<string> | undefined
  /** In the order they are tried. */
  readonly routes: readonly Declaration<RouteSection>[]
  /** Sections by path. */
  readonly passthrough: Declarations<PassthroughSection>
}

/** Unites the maps of all files. The same name in two of them is a Problem that names both places. */
export function mergeFiles(parts: readonly Part[], report: Report): MergedFiles {
  return {
    plans: section(parts, 'plan', 'plans', data => data.plans, report),
    models: section(parts, 'model', 'models', data => data.models, report),
    aliases: section(parts, 'alias', 'aliases', data => data.aliases, report),
    pools: section(parts, 'pool', 'pools', data => data.pools, report),
    tools: section(parts, 'tool', 'hosted_tools', data => data.hosted_tools, report),
    defaultModel: single(parts, report) ?? usual(parts),
    routes: routesIn(parts, report),
    passthrough: passthroughIn(parts, report),
  }
}

type Named<T> = { readonly [name: string]: T }

function section<T>(
  parts: readonly Part[],
  noun: string,
  field: keyof PolicyFile,
  read: (data: PolicyFile) => Named<T> | undefined,
  report: Report,
): Declarations<T> {
  const all = new Map<string, Declaration<T>>()
  for (const { root, data } of parts) {
    const sound = data && read(data)
    for (const [name, { key, value }] of entriesOf(root.entries.get(field)?.value)) {
      const first = all.get(name)
      if (first) reportDouble(`${noun} \`${name}\``, key, first.at, report)
      else all.set(name, { name, at: key, node: value, data: sound?.[name] })
    }
  }
  return all
}

function single(parts: readonly Part[], report: Report): Declaration<string> | undefined {
  let found: Declaration<string> | undefined
  for (const { root, data } of parts) {
    const entry = root.entries.get('default_model')
    if (!entry) continue
    if (found) reportDouble('`default_model`', entry.key, found.at, report)
    else found = { name: 'default_model', at: entry.key, node: entry.value, data: data?.default_model }
  }
  return found
}

/** The default model where the files set no `default_model`: part of the public contract (docs/api.md). */
const USUAL_DEFAULT = 'svc-core'

/** Where no file says which, it is the model or alias of that name, if there is one. */
function usual(parts: readonly Part[]): Declaration<string> | undefined {
  for (const { root } of parts) {
    for (const section of ['aliases', 'models']) {
      const entry = [...entriesOf(root.entries.get(section)?.value)].find(([name]) => name === USUAL_DEFAULT)?.[1]
      if (!entry) continue
      const node = { is: 'scalar', value: USUAL_DEFAULT, written: USUAL_DEFAULT, span: entry.key } as const
      return { name: 'default_model', at: entry.key, node, data: USUAL_DEFAULT }
    }
  }
  return undefined
}

/** Their order must be visible, so they are in one file. */
function routesIn(parts: readonly Part[], report: Report): readonly Declaration<RouteSection>[] {
  const found = parts.flatMap(part => {
    const entry = part.root.entries.get('routes')
    return entry ? [{ ...entry, data: part.data?.routes }] : []
  })
  const [first, ...others] = found
  for (const { key } of others) if (first) reportDouble('`routes`', key, first.key, report)
  if (first?.value.is !== 'list') return []
  const named = new Map<string, Span>()
  return first.value.items.map((node, index): Declaration<RouteSection> => {
    const written = nodeAt(node, ['name'])
    const name = isText(written) ? written.value : ''
    const at = written?.span ?? node.span
    const double = named.get(name)
    if (double && name !== '') reportDouble(`route \`${name}\``, at, double, report)
    named.set(name, at)
    return { name, at, node, data: first.data?.[index] }
  })
}

/** Each has its own path, in whichever files they are. */
function passthroughIn(parts: readonly Part[], report: Report): Declarations<PassthroughSection> {
  const all = new Map<string, Declaration<PassthroughSection>>()
  for (const { root, data } of parts) {
    const section = root.entries.get('passthrough')?.value
    for (const [index, node] of (section?.is === 'list' ? section.items : []).entries()) {
      const path = nodeAt(node, ['path'])
      if (!isText(path)) continue
      const first = all.get(path.value)
      if (first) reportDouble(`path \`${path.value}\``, path.span, first.at, report)
      else all.set(path.value, { name: path.value, at: path.span, node, data: data?.passthrough?.[index] })
    }
  }
  return all
}

function reportDouble(what: string, at: Span, first: Span, report: Report): void {
  const message = `${what} is declared twice`
  const hint = `the other is at ${first.file}:${first.line}:${first.column}`
  report({ ...at, rule: 'duplicate-key', severity: 'error', message, hint })
}
