import type { Report } from '../problem.ts'
import type { Declaration, Union } from '../read/merge.ts'
import { isText, type MapNode, type Node, nodeAt, type ScalarNode, textsOf, wordsOf } from '../read/tree.ts'
import { kinds } from './schema.ts'
import { MOST_HINTS, suggestion } from './suggest.ts'

/** Sections whose names are not all known, because a file or a section could not be read. */
export type Unsure = ReadonlySet<string>

/**
 * Reports every name that nothing declares. Looks at the trees, not at the checked data, so that
 * a plan with a misspelt field still gets its misspelt models reported.
 */
export function checkReferences(root: MapNode, union: Union, unsure: Unsure, report: Report): void {
  const { plans, models, aliases, pools } = union
  const names = {
    models: [...models.keys()],
    aliases: [...aliases.keys()],
    pools: [...pools.keys()],
    tiers: tiersOf(union),
  }
  const missing = misser(report)
  if (!unsure.has('models')) {
    for (const plan of plans.values()) checkPlan(plan, union, names, missing)
    for (const alias of aliases.values()) checkAlias(alias, union, names, missing)
    if (!unsure.has('aliases')) checkDefault(union, names, missing)
    checkDefaultKind(union, report)
    checkRoutes(union, unsure, missing)
    checkPassthrough(union, missing)
  }
  checkTools(union, unsure, missing)
  if (!unsure.has('plans')) checkPlanNames(root, union, missing)
  if (unsure.has('pools')) return
  for (const { name, node } of models.values()) {
    for (const entry of textsOf(nodeAt(node, ['serve']))) {
      if (!pools.has(entry.value)) missing('pool', entry, `model \`${name}\` is served by`, names.pools)
    }
  }
}

interface Names {
  readonly models: readonly string[]
  readonly aliases: readonly string[]
  readonly pools: readonly string[]
  /** `tier:guest`; undefined when the tier of a model is not known, for it could be any. */
  readonly tiers: readonly string[] | undefined
}

function tiersOf({ models }: Union): Names['tiers'] {
  const nodes = [...models.values()].map(({ node }) => nodeAt(node, ['tier']))
  const known = nodes.filter(isText)
  return known.length === nodes.length ? [...new Set(known.map(({ value }) => `tier:${value}`))] : undefined
}

type Text = ScalarNode & { readonly value: string }
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

function checkPlan(plan: Declaration<unknown>, { models, aliases }: Union, names: Names, missing: Missing): void {
  const subject = `plan \`${plan.name}\` includes`
  for (const entry of textsOf(nodeAt(plan.node, ['models']))) {
    if (entry.value.startsWith('tier:')) {
      if (names.tiers && !names.tiers.includes(entry.value)) missing('tier', entry, subject, names.tiers)
    } else if (!models.has(entry.value) && entry.value !== 'all') {
      const hint = aliases.has(entry.value) ? 'that is an alias; a plan includes models' : undefined
      missing('model', entry, subject, names.models, hint)
    }
  }
}

function checkTools({ plans, tools }: Union, unsure: Unsure, missing: Missing): void {
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
  { models, aliases }: Union,
  names: Names,
  missing: Missing,
): void {
  if (!isText(node) || models.has(node.value)) return
  const hint = aliases.has(node.value) ? 'that is an alias; an alias names a model' : undefined
  missing('model', node, `alias \`${name}\` stands for`, names.models, hint)
}

function checkDefault({ models, aliases, defaultModel }: Union, names: Names, missing: Missing): void {
  const node = defaultModel?.node
  if (!isText(node) || models.has(node.value) || aliases.has(node.value)) return
  missing('model', node, '`default_model` is', [...names.aliases, ...names.models])
}

/** The plans that sections of the main file name. */
function checkPlanNames(root: MapNode, { plans }: Union, missing: Missing): void {
  for (const path of [
    ['identity', 'default_plan'],
    ['guests', 'plan'],
  ]) {
    const node = nodeAt(root, path)
    if (isText(node) && !plans.has(node.value)) missing('plan', node, `\`${path.join('.')}\` is`, [...plans.keys()])
  }
}

/** Reports a default model that is not for chats: the only requests that may name none. */
function checkDefaultKind({ models, aliases, defaultModel }: Union, report: Report): void {
  const node = defaultModel?.node
  if (!isText(node)) return
  const alias = aliases.get(node.value)?.node
  const model = models.get(isText(alias) ? alias.value : node.value)
  const kind = model && nodeAt(model.node, ['kind'])
  if (!isText(kind) || kind.value === 'chat' || !kinds.includes(kind.value)) return
  const message = `\`default_model\` is \`${node.written}\`, of kind \`${kind.value}\``
  const hint = 'requests that name no model are chats: choose a chat model, or an alias of one'
  report({ ...node.span, rule: 'default-not-chat', severity: 'error', message, hint })
}

/** Reports the names in routes that nothing declares, also within `any` and `not`. */
function checkRoutes({ routes, plans, models, aliases }: Union, unsure: Unsure, missing: Missing): void {
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

/** The same of the models of pass-through routes. */
function checkPassthrough({ passthrough, models, aliases }: Union, missing: Missing): void {
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
