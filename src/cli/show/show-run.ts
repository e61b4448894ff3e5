import { Document, isMap, isScalar, isSeq, type Pair, visit, type YAMLMap } from 'yaml'
import { format } from '../../config/format/format.ts'
import { counted } from '../../config/format/problem-text.ts'
import type { Loaded } from '../../config/settings.ts'
import { loadToShow } from '../../operator/load-files.ts'
import type { Config, Declared } from '../../policy/config.ts'
import { writeJson, writeOut } from '../terminal.ts'
import { matrixJson, matrixText } from './matrix.ts'
import type { ShowOptions } from './show.ts'
import { type Section, shownModel, shownPassthrough, shownPlan, shownRoute } from './shown-policy.ts'
import { shownPool, shownSettings, shownTool } from './shown-settings.ts'

/** Prints what a configuration comes to. Rejects with CommandFailed when it has Problems. */
export async function show({ config: file, matrix, json }: ShowOptions): Promise<void> {
  const loaded = loadToShow(file)
  const { config } = loaded
  if (matrix) return json ? writeJson(matrixJson(config)) : writeOut([matrixText(config)])
  return json ? writeJson(shownConfig(loaded)) : writeOut([configText(loaded)])
}

/** The configuration as YAML in the style of `svcctl fmt`: behind each name where it was declared. */
export function configText(loaded: Loaded): string {
  const document = new Document(shownConfig(loaded), { aliasDuplicateObjects: false })
  visit(document, {
    // Short ones stand on one line, as people write them.
    Collection: (_, node) => {
      node.flow = isFlat(node)
    },
  })
  if (isMap(document.contents)) {
    markPlaces(document.contents, loaded.config)
    spaceOut(document.contents)
  }
  const { files, config } = loaded
  document.commentBefore = ` ${counted(files.length, 'file')}: ${files.join(', ')}\n Revision ${config.revision}`
  const text = document.toString({ lineWidth: 0 })
  return format({ file: '', path: '', text }, () => {}) ?? text
}

const MOST_FLAT = 2

/** Lists of values, and maps of one or two. */
function isFlat(node: unknown): boolean {
  if (isSeq(node)) return node.items.every(isScalar) && String(node).length < 80
  return isMap(node) && node.items.length <= MOST_FLAT && node.items.every(({ value }) => isScalar(value))
}

/** The sections whose entries were declared somewhere, by their names in the configuration. */
const DECLARED = {
  plans: 'plans',
  models: 'models',
  aliases: 'aliases',
  pools: 'pools',
  hosted_tools: 'tools',
} as const

function markPlaces(root: YAMLMap, config: Config): void {
  for (const [section, field] of Object.entries(DECLARED)) {
    const entries = root.get(section)
    if (isMap(entries)) for (const entry of entries.items) markPlace(entry, config[field])
  }
  const routes = root.get('routes')
  if (!isSeq(routes)) return
  config.routes.forEach((route, index) => {
    const name = routes.getIn([index, 'name'], true)
    if (isScalar(name)) name.comment = placeText(route)
  })
}

function markPlace({ key, value }: Pair, declared: ReadonlyMap<string, Declared>): void {
  const thing = isScalar(key) && declared.get(String(key.value))
  const node = isScalar(value) || (isMap(value) && value.flow) ? value : key
  if (thing && (isScalar(node) || isMap(node))) node.comment = placeText(thing)
}

const placeText = ({ at: { file, line } }: Declared): string => ` ${file}:${line}`

/** An empty line around each section that takes several. */
function spaceOut(root: YAMLMap): void {
  let below = false
  for (const { key, value } of root.items) {
    const isLong = (isMap(value) || isSeq(value)) && !value.flow
    if (isScalar(key) && (isLong || below)) key.spaceBefore = true
    below = isLong
  }
}

/**
 * The configuration as the gateway understands it: every file, default and variable put in, what `failover` says in each
 * pool, tiers as the models they are of. It is a main file again, but for secrets, which are covered.
 */
export function shownConfig({ config, settings }: Loaded): Section {
  const { plans, models, aliases, pools, tools, routes, passthrough, defaultModel } = config
  return {
    version: 1,
    ...shownSettings(settings, config),
    plans: each(plans, shownPlan),
    models: each(models, shownModel),
    aliases: each(aliases, ({ model }) => model.name),
    default_model: defaultModel.name,
    pools: each(pools, pool => shownPool(pool, settings.backends.get(pool.name))),
    routes: routes.map(shownRoute),
    hosted_tools: each(tools, tool => shownTool(tool, settings.tools.get(tool.name))),
    passthrough: [...passthrough.values()].map(shownPassthrough),
  }
}

function each<T>(things: ReadonlyMap<string, T>, show: (thing: T) => unknown): Section {
  return Object.fromEntries([...things].map(([name, thing]) => [name, show(thing)]))
}
