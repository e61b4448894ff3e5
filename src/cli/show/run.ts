import { Document, isMap, isScalar, isSeq, type Pair, visit, type YAMLMap } from 'yaml'
import { printDocument } from '../../config/format/format.ts'
import { counted } from '../../config/format/problem-text.ts'
import { suggestion } from '../../config/model/suggest.ts'
import type { Loaded } from '../../config/settings.ts'
import { loadToShow } from '../../operator/load-files.ts'
import type { Config, Declared, Inclusion, Plan, SlotShare } from '../../policy/config.ts'
import { hasChats } from '../../policy/pool-facts.ts'
import { CommandFailed } from '../../server/failure.ts'
import { shownMatrix } from '../../wire/admin/matrix.ts'
import { isObject } from '../../wire/json-safety.ts'
import { table, terminalWidth, widthOf } from '../kit/table.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import { entriesOnLines, withBriefPlans } from './brief-config.ts'
import type { ShowOptions } from './show.ts'
import {
  type Section,
  shownLabel,
  shownNotice,
  shownPassthrough,
  shownPlan,
  shownRoute,
  writtenModel,
} from './shown-policy.ts'
import { shownPool, shownSettings, shownTool } from './shown-settings.ts'

/** Prints the resolved configuration, or the parts with a given name. Rejects with CommandFailed when it has Problems. */
export async function show({ config: file, matrix, json, full }: ShowOptions, name?: string): Promise<void> {
  if (matrix && name !== undefined)
    throw new CommandFailed('--matrix shows the whole configuration: leave the name out')
  const loaded = loadToShow(file)
  const { config } = loaded
  if (matrix) return json ? writeJson(shownMatrix(config)) : writeOut([matrixText(config)])
  const all = shownConfig(loaded)
  const shown = name === undefined ? all : shownUnder(name, all)
  if (json) return writeJson(shown)
  return writeOut([name === undefined && !full ? briefText(loaded, all) : configText(loaded, shown)])
}

/** The things of a name, each under its section; a section where it is the name of one. */
function shownUnder(name: string, all: Section): Section {
  const found = Object.entries(all).flatMap(([section, value]) => {
    const named = section === name ? value : entryOf(value, name)
    return named === undefined ? [] : [[section, named] as const]
  })
  if (found.length > 0) return Object.fromEntries(found)
  const names = NAMED.flatMap(section => namesIn(all[section]))
  throw new CommandFailed(
    `nothing in the configuration is named \`${name}\` (${suggestion(name, [...names, ...Object.keys(all)])})`,
  )
}

function entryOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    const named = value.filter(entry => isObject(entry) && entry.name === name)
    return named.length > 0 ? named : undefined
  }
  return isObject(value) && Object.hasOwn(value, name) ? { [name]: value[name] } : undefined
}

/** The sections whose names people know. */
const NAMED = ['plans', 'models', 'aliases', 'pools', 'routes', 'hosted_tools']

function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(entry => (isObject(entry) ? [String(entry.name)] : []))
  return isObject(value) ? Object.keys(value) : []
}

/** The configuration as YAML in the style of `svcctl fmt`: behind each name where it was declared. */
export function configText(loaded: Loaded, shown: Section = shownConfig(loaded)): string {
  return textOf(loaded, shown, () => new Set())
}

/** Lines of a large configuration: one for each model, and plans by the entries that include their models. */
export function briefText(loaded: Loaded, shown: Section = shownConfig(loaded)): string {
  return textOf(loaded, withBriefPlans(shown, loaded.config), entriesOnLines)
}

function textOf({ files, config }: Loaded, shown: Section, onLinesOf: (root: YAMLMap) => ReadonlySet<unknown>): string {
  const document = new Document(shown, { aliasDuplicateObjects: false })
  const root = document.contents
  if (!isMap(root)) return ''
  const onLines = onLinesOf(root)
  visit(document, {
    // Short ones stay on one line, as people write them.
    Collection: (key, node) => {
      node.flow = onLines.has(node) || isFlat(node, typeof key === 'number' ? MOST_FLAT_ENTRY : MOST_FLAT)
    },
  })
  markPlaces(root, config)
  spaceOut(root)
  const heads = [`${counted(files.length, 'file')}: ${files.join(', ')}`, `Revision ${config.revision}`]
  if (onLines.size > 0) heads.push('A line for each entry of a large section: --full spreads them')
  document.commentBefore = heads.map(head => ` ${head}`).join('\n')
  return printDocument(document, onLines)
}

const MOST_FLAT = 2
/** The most members of a list's entry that stand on one line. */
const MOST_FLAT_ENTRY = 4

/** Lists of values, and maps of a few. */
function isFlat(node: unknown, most: number): boolean {
  if (isSeq(node)) return node.items.every(isScalar) && String(node).length < 80
  return isMap(node) && node.items.length <= most && node.items.every(({ value }) => isScalar(value))
}

/** The sections whose entries were declared somewhere, by their names in the configuration. */
const DECLARED = {
  plans: 'plans',
  models: 'models',
  aliases: 'aliases',
  pools: 'pools',
  labels: 'labels',
  hosted_tools: 'tools',
} as const

function markPlaces(root: YAMLMap, config: Config): void {
  for (const [section, field] of Object.entries(DECLARED)) {
    const entries = root.get(section)
    if (isMap(entries)) for (const entry of entries.items) markPlace(entry, config[field])
  }
  for (const { name, rules } of config.plans.values())
    rules.forEach(({ at }, place) => {
      const row = root.getIn(['plans', name, 'limits', place], true)
      if (isMap(row) && at) row.comment = placeText({ at })
    })
  for (const { name, shares = [] } of config.pools.values())
    markSlots(root.getIn(['pools', name, 'shares'], true), shares)
  const routes = root.get('routes')
  if (!isSeq(routes)) return
  for (const entry of routes.items) {
    const name = isMap(entry) && entry.get('name', true)
    const route = isScalar(name) && config.routes.find(each => each.name === name.value)
    if (isScalar(name) && route) name.comment = placeText(route)
  }
}

/** Behind each share the slots that it guarantees. */
function markSlots(node: unknown, shares: readonly SlotShare[]): void {
  if (!isMap(node)) return
  const texts = shares.map(({ slots }) => ` ${counted(slots, 'slot')}`)
  if (node.flow) node.comment = texts.join(',')
  else for (const [place, { value }] of node.items.entries()) if (isScalar(value)) value.comment = texts[place] ?? null
}

function markPlace({ key, value }: Pair, declared: ReadonlyMap<string, Declared>): void {
  const thing = isScalar(key) && declared.get(String(key.value))
  const node = isScalar(value) || (isMap(value) && value.flow) ? value : key
  if (thing && (isScalar(node) || isMap(node))) node.comment = placeText(thing)
}

const placeText = ({ at: { file, line } }: Pick<Declared, 'at'>): string => ` ${file}:${line}`

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
  const { plans, models, aliases, pools, tools, routes, passthrough, defaultModel, labels, notices } = config
  // A rule without targets is of `customer_notices`.
  const written = notices.filter(({ to }) => to.length > 0)
  return {
    version: 1,
    ...shownSettings(settings, config),
    ...(labels.size > 0 && { labels: each(labels, shownLabel) }),
    ...(written.length > 0 && { notices: written.map(shownNotice) }),
    plans: each(plans, shownPlan),
    models: each(models, writtenModel),
    aliases: each(aliases, ({ model }) => model.name),
    default_model: defaultModel.name,
    pools: each(pools, pool => shownPool(pool, settings.backends.get(pool.name), hasChats(pool, models))),
    routes: routes.map(shownRoute),
    hosted_tools: each(tools, tool => shownTool(tool, settings.tools.get(tool.name))),
    passthrough: [...passthrough.values()].map(shownPassthrough),
  }
}

function each<T>(things: ReadonlyMap<string, T>, show: (thing: T) => unknown): Section {
  return Object.fromEntries([...things].map(([name, thing]) => [name, show(thing)]))
}

/**
 * Models and hosted tools by plans: the entry of a plan that includes one, or `-`. Plans that the terminal has no room
 * for stand in another table below.
 */
export function matrixText({ plans, models, tools, aliases }: Config, width: number = terminalWidth()): string {
  const all = [...plans.values()]
  const cells = (includes: (plan: Plan) => Inclusion | undefined) => all.map(plan => includes(plan)?.by ?? '-')
  const modelRows = [...models.values()].map(({ name, kind, tier }) => ({
    heads: [name, kind, tier],
    cells: cells(plan => plan.models.get(name)),
  }))
  const aliasRows = [...aliases.values()].map(({ name, model }) => ({
    heads: [name, 'alias', model.name],
    cells: cells(plan => plan.models.get(model.name)),
  }))
  const toolRows = [...tools.values()].map(({ name }) => ({
    heads: [name],
    cells: cells(plan => plan.tools.get(name)),
  }))
  const named = all.map(({ name }) => name)
  const modelTables = tablesIn(width, [{ heads: ['MODEL', 'KIND', 'TIER'], cells: named }, ...modelRows, ...aliasRows])
  const toolTables = toolRows.length === 0 ? [] : tablesIn(width, [{ heads: ['TOOL'], cells: named }, ...toolRows])
  return `${[...modelTables, ...toolTables].join('\n\n')}\n`
}

interface Row {
  readonly heads: readonly string[]
  readonly cells: readonly string[]
}

/** Tables of as many columns as there is room for, one at least; each begins with the heads of its rows. */
function tablesIn(room: number, rows: readonly Row[]): readonly string[] {
  const tables: string[] = []
  const columns = rows[0]?.cells.length ?? 0
  const tableOf = (from: number, to: number) =>
    table(rows.map(({ heads, cells }) => [...heads, ...cells.slice(from, to)]))
  for (let from = 0, to = 1; from < columns || tables.length === 0; from = to, to++) {
    while (to < columns && widest(tableOf(from, to + 1)) <= room) to++
    tables.push(tableOf(from, to))
  }
  return tables
}

const widest = (text: string): number => Math.max(...text.split('\n').map(widthOf))
