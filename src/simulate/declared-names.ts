import { patternFault } from '../config/model/formats.ts'
import { suggestion } from '../config/model/suggest.ts'
import {
  entriesOf,
  isText,
  type MapNode,
  type Node,
  nodeAt,
  type Span,
  textsOf,
  wordsOf,
} from '../config/model/tree.ts'
import type { Report } from '../config/problem.ts'
import type { Config } from '../policy/config.ts'
import type { FullQueue } from '../policy/queue/fair-queue.ts'
import type { SlotKind } from '../policy/queue/slot-shares.ts'
import { isMatcher, patternOf } from './expectations.ts'
import { checkGivenReplicas, checkReplica } from './named-replicas.ts'

/** The things that names in a file of tests may mean. */
interface Known {
  readonly plan: readonly string[]
  readonly model: readonly string[]
  /** The names that a claim may have for the model asked for. */
  readonly asked: readonly string[]
  readonly pool: readonly string[]
  readonly route: readonly string[]
  readonly site: readonly string[]
}

/** Reports every name that the configuration does not declare. A request may ask for any model, all else would be a slip. */
export function checkNames(root: MapNode, config: Config, report: Report): void {
  const { plans, models, aliases, pools, routes } = config
  const check = checker(
    {
      plan: [...plans.keys()],
      model: [...models.keys()],
      asked: [...models.keys(), ...aliases.keys(), 'none', 'explicit', 'generic'],
      pool: [...pools.keys()],
      route: routes.map(({ name }) => name),
      site: [...new Set([...pools.values()].map(({ site }) => site))],
    },
    report,
  )
  checkSituation(nodeAt(root, ['given']), check)
  checkGivenReplicas(nodeAt(root, ['given']), config, report)
  checkMatrix(nodeAt(root, ['matrix']), check)
  for (const each of itemsOf(nodeAt(root, ['cases']))) {
    checkSituation(each, check)
    checkGivenReplicas(each, config, report)
    checkExpect(nodeAt(each, ['expect']), check, report)
    checkReplica(nodeAt(each, ['expect']), config, report)
  }
  for (const each of itemsOf(nodeAt(root, ['invariants']))) {
    for (const kind of ['never', 'always']) checkClaim(nodeAt(each, [kind]), check)
  }
}

type Check = (noun: keyof Known, name: string, at: Span) => void

const checker =
  (known: Known, report: Report): Check =>
  (noun, name, at) => {
    if (known[noun].includes(name)) return
    const what = noun === 'asked' ? 'model' : noun
    report({
      ...at,
      rule: `unknown-${what}`,
      severity: 'error',
      message: `no such ${what} \`${name}\``,
      hint: suggestion(name, known[noun]),
    })
  }

const itemsOf = (node: Node | undefined): readonly Node[] => (node?.is === 'list' ? node.items : [])

function checkText(node: Node | undefined, noun: keyof Known, check: Check): void {
  if (isText(node)) check(noun, node.value, node.span)
}

function checkSituation(node: Node | undefined, check: Check): void {
  if (!node) return
  checkText(nodeAt(node, ['plan']), 'plan', check)
  checkText(nodeAt(node, ['share']), 'pool', check)
  for (const [name, { key, value }] of entriesOf(nodeAt(node, ['pools']))) {
    check('pool', name, key)
    for (const field of ['in_flight', 'queued'])
      for (const group of itemsOf(nodeAt(value, [field]))) checkText(nodeAt(group, ['plan']), 'plan', check)
  }
}

function checkMatrix(node: Node | undefined, check: Check): void {
  for (const [name, { key }] of entriesOf(node)) if (name !== 'plans') check('model', name, key)
  for (const { value, span } of textsOf(node && nodeAt(node, ['plans']))) check('plan', value, span)
}

function checkClaim(node: Node | undefined, check: Check): void {
  if (!node) return
  checkText(nodeAt(node, ['plan']), 'plan', check)
  checkText(nodeAt(node, ['model']), 'asked', check)
  checkText(nodeAt(node, ['reaches']), 'model', check)
  checkText(nodeAt(node, ['pool']), 'pool', check)
  checkText(nodeAt(node, ['site']), 'site', check)
}

const DECLARED = {
  plan: 'plan',
  model: 'model',
  route: 'route',
  served_by: 'pool',
  waits_in: 'pool',
  mirror: 'pool',
} as const

/** The words that a field may have. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  slot: ['guaranteed', 'borrowed', 'open'] satisfies readonly SlotKind[],
  queue_full: ['max', 'of_account', 'bytes'] satisfies readonly FullQueue[],
}

function checkExpect(node: Node | undefined, check: Check, report: Report): void {
  checkValues(node, report)
  for (const [field, noun] of Object.entries(DECLARED)) {
    const wanted = node && nodeAt(node, [field])
    if (isText(wanted) && !isMatcher(wanted.value)) check(noun, wanted.value, wanted.span)
  }
  checkWords(node, report)
  for (const field of ['pools', 'attempted'])
    for (const { value, span } of wordsOf(node && nodeAt(node, [field])))
      if (!isMatcher(value)) check('pool', value, span)
}

function checkWords(node: Node | undefined, report: Report): void {
  for (const [field, words] of Object.entries(WORDS)) {
    const wanted = node && nodeAt(node, [field])
    if (!isText(wanted) || isMatcher(wanted.value) || words.includes(wanted.value)) continue
    const message = `no such ${field} \`${wanted.value}\``
    const hint = suggestion(wanted.value, words)
    report({ ...wanted.span, rule: `unknown-${field.replace('_', '-')}`, severity: 'error', message, hint })
  }
}

/** Values are whatever bodies hold, but for none at all and for regular expressions that are none. */
function checkValues(node: Node | undefined, report: Report): void {
  if (node?.is === 'list') for (const item of node.items) checkValues(item, report)
  for (const [name, { value }] of entriesOf(node)) {
    if (value.is === 'scalar' && value.value === null) {
      const hint = 'write the expected value, or `absent`'
      report({ ...value.span, rule: 'no-value', severity: 'error', message: `\`${name}\` has no value`, hint })
    }
    checkValues(value, report)
  }
  if (isText(node) && !isPattern(node.value)) {
    const message = `\`${node.written}\` is not a regular expression that this gateway runs`
    const fault = patternFault(String(node.value).replace(/^\/|\/i?$/g, ''))
    const hint = [fault, 'write one of RE2: no look-around and no back-references'].filter(Boolean).join('; ')
    report({ ...node.span, rule: 'bad-pattern', severity: 'error', message, hint })
  }
}

function isPattern(text: string): boolean {
  try {
    patternOf(text)
    return true
  } catch {
    // Whatever RE2 has against it, the hint says what there is.
    return false
  }
}
