import { DEFAULTS } from '../defaults.ts'
import type { ConfigFile } from '../file.ts'
import { kinds } from '../model/schema.ts'
import { mirroredText, servedTexts } from '../model/served.ts'
import { MOST_HINTS, meant, suggestion } from '../model/suggest.ts'
import {
  entriesOf,
  isEmpty,
  isText,
  type MapNode,
  type Node,
  nodeAt,
  type ScalarNode,
  type Span,
  textsOf,
  wordsOf,
} from '../model/tree.ts'
import type { Report } from '../problem.ts'
import type { Declaration, MergedFiles } from '../read/merge.ts'

/** Sections whose names are not all known, because a file or a section could not be read. */
type Unsure = ReadonlySet<string>

/**
 * Reports every name that nothing declares. Looks at the trees, not at the checked data, so that
 * a plan with a misspelt field still gets its misspelt models reported.
 */
export function checkReferences(root: MapNode, merged: MergedFiles, unsure: Unsure, report: Report): void {
  const { plans, models, aliases, pools } = merged
  const names = {
    models: [...models.keys()],
    aliases: [...aliases.keys()],
    pools: [...pools.keys()],
    tiers: tiersOf(merged),
  }
  const missing = misser(report)
  if (!unsure.has('models')) {
    for (const plan of plans.values()) checkPlan(plan, merged, names, missing)
    for (const alias of aliases.values()) checkAlias(alias, merged, names, missing)
    if (!unsure.has('aliases')) checkDefault(merged, names, missing)
    checkDefaultKind(merged, report)
    checkRoutes(merged, unsure, missing)
    checkPassthrough(merged, missing)
  }
  checkTools(merged, unsure, missing)
  if (!unsure.has('plans')) checkMain(root, merged, names, missing)
  checkShares(merged, unsure, missing)
  if (unsure.has('pools')) return
  checkPools(merged, names, missing)
}

/** The pools that serve a model, and the one that gets copies of its requests. */
function checkPools({ models, pools }: MergedFiles, names: Names, missing: ReturnType<typeof misser>): void {
  for (const { name, node } of models.values()) {
    for (const entry of servedTexts(node)) {
      if (!pools.has(entry.value)) missing('pool', entry, `model \`${name}\` is served by`, names.pools)
    }
    const to = mirroredText(node)
    if (to && !pools.has(to.value)) missing('pool', to, `model \`${name}\` is mirrored to`, names.pools)
  }
}

interface Names {
  readonly models: readonly string[]
  readonly aliases: readonly string[]
  readonly pools: readonly string[]
  /** `tier:guest`; undefined when the tier of a model is not known, for it could be any. */
  readonly tiers: readonly string[] | undefined
}

function tiersOf({ models }: MergedFiles): Names['tiers'] {
  const nodes = [...models.values()].map(({ node }) => nodeAt(node, ['tier']))
  const known = nodes.filter(isText)
  return known.length === nodes.length ? [...new Set(known.map(({ value }) => `tier:${value}`))] : undefined
}

type Text = Pick<ScalarNode, 'written' | 'span'> & { readonly value: string }
export type Missing = (noun: string, text: Text, subject: string, known: readonly string[], hint?: string) => void

function misser(report: Report): Missing {
  let told = 0
  return (noun, { written, value, span }, subject, known, hint) => {
    const found = hint ?? (told++ < MOST_HINTS ? suggestion(value, known) : undefined)
    report({
      ...span,
      rule: `unknown-${noun}`,
      severity: 'error',
      message: `${subject} \`${written}\`, no such ${noun}`,
      ...(found !== undefined && { hint: found }),
    })
  }
}

function checkPlan(plan: Declaration<unknown>, merged: MergedFiles, names: Names, missing: Missing): void {
  for (const entry of textsOf(nodeAt(plan.node, ['models'])))
    if (entry.value !== 'all')
      checkModels(entry, `plan \`${plan.name}\` includes`, 'a plan includes models', merged, names, missing)
  checkLimits(plan.node, `plan \`${plan.name}\` limits`, merged, names, missing)
}

/** The models that rows of `limits` name. */
function checkLimits(node: Node, subject: string, merged: MergedFiles, names: Names, missing: Missing): void {
  for (const row of itemsOf(nodeAt(node, ['limits']))) {
    const entry = nodeAt(row, ['model'])
    if (isText(entry)) checkModels(entry, subject, 'a limit is of a model', merged, names, missing)
  }
}

/** Where a model or a tier is named. */
function checkModels(
  entry: Text,
  subject: string,
  rule: string,
  { models, aliases }: MergedFiles,
  names: Names,
  missing: Missing,
): void {
  if (entry.value.startsWith('tier:')) {
    if (names.tiers && !names.tiers.includes(entry.value)) missing('tier', entry, subject, names.tiers)
  } else if (!models.has(entry.value)) {
    const hint = aliases.has(entry.value) ? `that is an alias; ${rule}` : undefined
    missing('model', entry, subject, names.models, hint)
  }
}

function checkTools({ plans, tools }: MergedFiles, unsure: Unsure, missing: Missing): void {
  if (unsure.has('hosted_tools')) return
  const known = [...tools.keys()]
  for (const { name, node } of plans.values()) {
    for (const entry of textsOf(nodeAt(node, ['tools']))) {
      // In a list, `all` was reported by the schema.
      if (!tools.has(entry.value) && entry.value !== 'all') missing('tool', entry, `plan \`${name}\` includes`, known)
    }
  }
}

function checkAlias(
  { name, node }: Declaration<string>,
  { models, aliases }: MergedFiles,
  names: Names,
  missing: Missing,
): void {
  if (!isText(node) || models.has(node.value)) return
  const hint = aliases.has(node.value) ? 'that is an alias; an alias names a model' : undefined
  missing('model', node, `alias \`${name}\` stands for`, names.models, hint)
}

function checkDefault({ models, aliases, defaultModel }: MergedFiles, names: Names, missing: Missing): void {
  const node = defaultModel?.node
  if (!isText(node) || models.has(node.value) || aliases.has(node.value)) return
  missing('model', node, '`default_model` is', [...names.aliases, ...names.models])
}

/** The plans that labels are required by. */
function checkLabels(root: MapNode, plans: MergedFiles['plans'], missing: Missing): void {
  for (const [label, { value }] of entriesOf(nodeAt(root, ['labels'])))
    for (const entry of textsOf(nodeAt(value, ['required']))) {
      const plan = /^plan:(.*)$/s.exec(entry.value)?.[1]
      if (plan === undefined || plans.has(plan)) continue
      const known = [...plans.keys()].map(name => `plan:${name}`)
      missing('plan', entry, `label \`${label}\` is required by`, known)
    }
}

/** The plans that have shares of pools. */
function checkShares({ pools, plans }: MergedFiles, unsure: Unsure, missing: Missing): void {
  if (unsure.has('plans')) return
  for (const { name, node } of pools.values())
    for (const [owner, { key }] of entriesOf(nodeAt(node, ['shares']))) {
      const plan = /^plan:(.*)$/s.exec(owner)?.[1]
      if (plan === undefined || plans.has(plan)) continue
      const known = [...plans.keys()].map(each => `plan:${each}`)
      missing('plan', { written: owner, value: owner, span: key }, `pool \`${name}\` has a share of`, known)
    }
}

/** The targets that notices go to. */
function checkTargets(root: MapNode, missing: Missing): void {
  const targets = Array.from(entriesOf(nodeAt(root, ['notice_targets'])), ([name]) => name)
  for (const notice of itemsOf(nodeAt(root, ['notices'])))
    for (const entry of textsOf(nodeAt(notice, ['to'])))
      if (!targets.includes(entry.value)) missing('target', entry, 'notices go to', targets)
  const mail = nodeAt(root, ['customer_notices', 'mail'])
  if (isText(mail) && !targets.includes(mail.value)) missing('target', mail, 'mail to customers goes by', targets)
}

/** The plans that sections of the main file name, and the models that limits of services do. */
function checkMain(root: MapNode, merged: MergedFiles, names: Names, missing: Missing): void {
  const { plans } = merged
  for (const path of [
    ['identity', 'default_plan'],
    ['guests', 'plan'],
  ]) {
    const node = nodeAt(root, path)
    if (isText(node) && !plans.has(node.value)) missing('plan', node, `\`${path.join('.')}\` is`, [...plans.keys()])
  }
  checkLabels(root, plans, missing)
  checkTargets(root, missing)
  for (const issuer of itemsOf(nodeAt(root, ['identity', 'issuers'])))
    for (const entry of itemsOf(nodeAt(issuer, ['accounts']))) {
      const node = nodeAt(entry, ['plan'])
      if (isText(node) && !plans.has(node.value)) missing('plan', node, '`plan` is', [...plans.keys()])
      checkLimits(entry, 'an entry of services limits', merged, names, missing)
    }
  for (const entry of itemsOf(nodeAt(root, ['identity', 'groups']))) {
    const node = nodeAt(entry, ['plan'])
    if (isText(node) && !plans.has(node.value)) missing('plan', node, '`plan` is', [...plans.keys()])
    checkLimits(entry, 'an entry of groups limits', merged, names, missing)
  }
  checkClaudeSettings(root, plans, missing)
}

/** The plans that managed settings of Claude Code are for. */
function checkClaudeSettings(root: MapNode, plans: MergedFiles['plans'], missing: Missing): void {
  const settings = nodeAt(root, ['identity', 'claude_login', 'settings'])
  for (const [name, { key }] of settings?.is === 'map' ? settings.entries : [])
    if (!plans.has(name))
      missing('plan', { written: name, value: name, span: key }, '`settings` is for', [...plans.keys()])
}

const itemsOf = (node: Node | undefined): readonly Node[] => (node?.is === 'list' ? node.items : [])

/** Reports a default model that is not for chats: the only requests that may name none. */
function checkDefaultKind({ models, aliases, defaultModel }: MergedFiles, report: Report): void {
  const node = defaultModel?.node
  if (!isText(node)) return
  const alias = aliases.get(node.value)?.node
  const model = models.get(isText(alias) ? alias.value : node.value)
  const kind = model && nodeAt(model.node, ['kind'])
  if (!isText(kind) || kind.value === 'chat' || !kinds.includes(kind.value)) return
  const message = `\`default_model\` is \`${node.written}\`, of kind \`${kind.value}\``
  const hint = 'requests without a model are chats: choose a chat model, or an alias of one'
  report({ ...node.span, rule: 'default-not-chat', severity: 'error', message, hint })
}

/** Reports the names in routes that nothing declares, also within `any` and `not`. */
function checkRoutes({ routes, plans, models, aliases }: MergedFiles, unsure: Unsure, missing: Missing): void {
  const names = { model: [...models.keys()], plan: [...plans.keys()], alias: [...aliases.keys()] }
  for (const { name, node } of routes) {
    const target = nodeAt(node, ['use'])
    const hint = isText(target) && aliases.has(target.value) ? 'that is an alias; a route leads to a model' : undefined
    if (isText(target) && !models.has(target.value))
      missing('model', target, `route \`${name}\` uses`, names.model, hint)
    for (const when of conditionsIn(nodeAt(node, ['when']))) {
      const check = (noun: 'plan' | 'alias', known: ReadonlyMap<string, unknown>) => {
        for (const word of wordsOf(nodeAt(when, [noun])))
          if (!known.has(word.value)) missing(noun, word, `route \`${name}\` is for`, names[noun])
      }
      if (!unsure.has('plans')) check('plan', plans)
      if (!unsure.has('aliases')) check('alias', aliases)
    }
  }
}

/** Reports models of pass-through routes that nothing declares. */
function checkPassthrough({ passthrough, models, aliases }: MergedFiles, missing: Missing): void {
  const names = [...models.keys()]
  for (const { name, node } of passthrough.values()) {
    const target = nodeAt(node, ['model'])
    if (!isText(target) || models.has(target.value)) continue
    const hint = aliases.has(target.value) ? 'that is an alias; a route has a model' : undefined
    missing('model', target, `\`${name}\` is served by`, names, hint)
  }
}

/** A condition and those within it. */
function conditionsIn(when: Node | undefined): readonly Node[] {
  if (!when) return []
  const any = nodeAt(when, ['any'])
  return [when, ...(any?.is === 'list' ? any.items : []).flatMap(conditionsIn), ...conditionsIn(nodeAt(when, ['not']))]
}

/** The sizes of images that may be asked for, in their order. */
export const imageSizesOf = ({ limits }: ConfigFile): readonly string[] => limits?.image_sizes ?? DEFAULTS.imageSizes

/** Reports every size that an image model prices and `limits.image_sizes` lacks, unless the list itself is in doubt. */
export function checkSizes(
  root: MapNode,
  main: ConfigFile,
  { models }: MergedFiles,
  unsure: Unsure,
  report: Report,
): void {
  if (unsure.has('limits') || (root.entries.has('limits') && !main.limits)) return
  const known = imageSizesOf(main)
  for (const { name, node } of models.values()) {
    const kind = nodeAt(node, ['kind'])
    if (!isText(kind) || kind.value !== 'image') continue
    for (const [size, { key, value }] of entriesOf(nodeAt(node, ['usd_per_image']))) {
      if (known.includes(size) || isEmpty(value)) continue
      const message = `model \`${name}\` prices \`${size}\`, which \`limits.image_sizes\` does not list`
      report({ ...key, rule: 'unknown-size', severity: 'error', message, hint: suggestion(size, known) })
    }
  }
}

/** Warns of what nothing uses. Only of use when every reference was found. */
export function checkUse({ plans, models, pools, tools }: MergedFiles, report: Report): void {
  const included = new Set([...plans.values()].flatMap(({ node }) => wordsAt(node, 'models')))
  const served = new Set(
    [...models.values()].flatMap(({ node }) => [...servedTexts(node), mirroredText(node)].map(text => text?.value)),
  )
  const warn = ({ at }: Declaration<unknown>, rule: string, message: string, hint: string) =>
    report({ ...at, rule, severity: 'warning', message, hint })
  for (const model of models.values()) {
    const tier = nodeAt(model.node, ['tier'])
    if (included.has('all') || included.has(model.name) || (isText(tier) && included.has(`tier:${tier.value}`)))
      continue
    warn(model, 'unused-model', `no plan includes model \`${model.name}\``, 'no client can use it: add it to a plan')
  }
  const listed = new Set([...plans.values()].flatMap(({ node }) => wordsAt(node, 'tools')))
  for (const tool of tools.values()) {
    if (!listed.has('all') && !listed.has(tool.name))
      warn(tool, 'unused-tool', `no plan includes tool \`${tool.name}\``, 'no client can use it: add it to a plan')
  }
  for (const pool of pools.values()) {
    if (!served.has(pool.name))
      warn(pool, 'unused-pool', `no model uses pool \`${pool.name}\``, 'add it to the `serve` of a model')
  }
}

const wordsAt = (node: Node, field: string): readonly string[] =>
  wordsOf(nodeAt(node, [field])).map(({ value }) => value)

const SECTIONS = ['plans', 'models', 'aliases', 'default_model', 'pools', 'limits', 'hosted_tools'] as const

/**
 * The sections that may be incomplete: all of them if a file could not be read; else those that are not maps or have a misspelt
 * name. Problems that would follow from the gap are not reported.
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
export function checkComplete(merged: MergedFiles, unsure: Unsure, start: Span, report: Report): void {
  for (const section of ['plans', 'models', 'pools'] as const) {
    if (merged[section].size > 0 || unsure.has(section)) continue
    const hint = `add \`${section}\`, here or in an included file`
    report({
      ...start,
      rule: 'missing-section',
      severity: 'error',
      message: `no file declares any \`${section}\``,
      hint,
    })
  }
  const [first] = merged.models.values()
  if (!first || merged.defaultModel || unsure.has('default_model')) return
  const hint =
    'add `default_model`, the alias or model for requests that name none; it is only optional if there is a `svc-core`'
  report({ ...first.at, rule: 'missing-field', severity: 'error', message: 'there is no `default_model`', hint })
}

/** Sections that nothing is known of, as if unsure: a reference to them says nothing that `missing-section` did not. */
export const withEmpty = (merged: MergedFiles, unsure: Unsure): Unsure =>
  new Set([...unsure, ...(['plans', 'models', 'pools'] as const).filter(section => merged[section].size === 0)])
