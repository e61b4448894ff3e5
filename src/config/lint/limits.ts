import { nameOfRule } from '../../policy/limits/named-rules.ts'
import { countedBy, type LimitRule, labelOf, MEASURES, type Measure } from '../../policy/limits/rule.ts'
import { ruleText } from '../../policy/limits/text.ts'
import type { ConfigFile, LimitRuleSection, ModelSection, PlanSection } from '../file.ts'
import { suggestion } from '../model/suggest.ts'
import { type Node, nodeAt, type Path } from '../model/tree.ts'
import type { Report, Say } from '../problem.ts'
import type { Declaration, MergedFiles } from '../read/merge.ts'
import { headerIn } from '../resolve/labels.ts'
import { measuresOf, rowsOf } from '../resolve/limits.ts'
import { planIncludes, sayer } from './lint.ts'

/** Reports rows of `limits` that mean no limit, or the same as another one, or that count nothing. */
export function lintLimits({ plans, models }: MergedFiles, main: ConfigFile | undefined, report: Report): void {
  for (const { name, node, data } of plans.values()) {
    if (!data?.limits) continue
    const say = sayer(node, report)
    for (const [place, row] of data.limits.entries()) lintRow(row, ['limits', place], say)
    lintTwice(name, data, node, say)
    for (const { rule, place } of rowsOf(data)) {
      lintModel(name, data, rule, place, models, say)
      // A main file with a mistake says nothing about labels.
      if (main) lintLabelOf({ plan: name, rule, path: ['limits', place, 'of'] }, main.labels, say)
    }
  }
}

/** Whether a row counts one thing, in a window where it has one. */
export function lintRow(row: LimitRuleSection, path: Path, say: Say): void {
  const [first, second] = measuresOf(row)
  if (first === undefined) {
    const known = MEASURES.map(measure => `\`${measure}\``).join(', ')
    say(path, 'error', 'no-measure', 'an entry of `limits` counts nothing', `add one of ${known}`)
  } else if (second !== undefined) {
    const message = `an entry of \`limits\` has both \`${first}\` and \`${second}\``
    say([...path, second], 'error', 'two-measures', message, 'give the second one an entry of its own')
  } else if (row.of === 'session' || OF_SESSIONS.some(field => row[field] !== undefined)) {
    lintSession(row, path, say)
  } else if (first !== 'concurrent' && row.per === undefined) {
    const message = `an entry of \`limits\` has \`${first}\`, but no \`per\``
    say([...path, first], 'error', 'needs-window', message, 'add the window: `per: day`')
  } else if (first === 'concurrent' && row.per !== undefined) {
    const message = 'an entry of `limits` has `concurrent` and `per`'
    say([...path, 'per'], 'error', 'window-of-concurrent', message, 'concurrent requests have no window: remove it')
  }
}

/** A session has no window, but ends once it had no request for a time. */
function lintSession(row: LimitRuleSection, path: Path, say: Say): void {
  const [first] = measuresOf(row)
  const own = OF_SESSIONS.find(field => row[field] !== undefined)
  if (row.of !== 'session' && own) {
    const message = `an entry of \`limits\` has \`${own}\`, but is not of sessions`
    say([...path, own], 'error', `${own.replace('_', '-')}-without-session`, message, 'add `of: session`, or remove it')
  } else if (first === 'concurrent') {
    const message = 'an entry of `limits` counts `concurrent` requests of each session'
    say(
      [...path, 'concurrent'],
      'error',
      'concurrent-of-session',
      message,
      'limit those of the account, the key or the user',
    )
  } else if (row.per !== undefined) {
    const message = 'an entry of `limits` has `of: session` and `per`'
    say(
      [...path, 'per'],
      'error',
      'window-of-session',
      message,
      'write `idle: 24h` in its place: a session ends without requests',
    )
  } else if (row.idle === undefined) {
    const message = 'an entry of `limits` has `of: session`, but no `idle`'
    say(
      [...path, 'of'],
      'error',
      'needs-idle',
      message,
      'add the time without a request that ends a session: `idle: 24h`',
    )
  } else if (row.last_turn !== undefined && !(first && HAVE_TURNS.includes(first))) {
    const message = `an entry of \`limits\` counts \`${first}\`, which the last turn of a chat does not use`
    say(
      [...path, 'last_turn'],
      'error',
      'last-turn-of-nothing',
      message,
      'remove it, or limit `usd`, `tokens` or `requests`',
    )
  }
}

/** The fields of rows that only sessions have. */
const OF_SESSIONS = ['idle', 'last_turn', 'warn'] as const

/** The measures that a turn of a chat takes some of. */
const HAVE_TURNS: readonly Measure[] = ['requests', 'tokens', 'input_tokens', 'output_tokens', 'usd']

/** A limit of a plan by a label. */
interface LabelLimit {
  readonly plan: string
  readonly rule: LimitRule
  readonly path: Path
}

/** A limit of labels needs a declared label, and values that clients cannot invent or leave out. */
function lintLabelOf({ plan, rule, path }: LabelLimit, labels: ConfigFile['labels'] = {}, say: Say): void {
  const name = labelOf(rule.of)
  if (name === undefined) return
  const limits = `plan \`${plan}\` limits each \`${name}\``
  const label = labels[name]
  if (!label) {
    const known = Object.keys(labels)
    const hint = known.length === 0 ? `declare it: \`labels: { ${name}: { from: [key] } }\`` : suggestion(name, known)
    say(path, 'error', 'unknown-label', `${limits}, which is not a label`, hint)
    return
  }
  const ofKey = label.from.includes('key')
  if (!label.values && label.from.some(source => headerIn(source) !== undefined)) {
    const message = `${limits}, but its header may have any value, and each new one begins a new count`
    say(
      path,
      ofKey ? 'warning' : 'error',
      'label-of-any-value',
      message,
      `declare the \`values\` of \`labels.${name}\``,
    )
  } else if (!ofKey && !label.required?.includes(`plan:${plan}`)) {
    const message = `${limits}, but its requests may leave out the header, which alone sets it`
    say(path, 'error', 'label-not-required', message, `add \`plan:${plan}\` to \`required\` of \`labels.${name}\``)
  }
}

/** A limit may be written as a row or by its short name, and once. */
function lintTwice(name: string, plan: PlanSection, node: Node, say: Say): void {
  const first = new Map<string, Path>()
  for (const { rule, path } of inOrder(written(plan), node)) {
    const counted = countedBy(rule)
    const other = first.get(counted)
    if (!other) {
      first.set(counted, path)
      continue
    }
    const line = (nodeAt(node, other) ?? node).span.line
    const where = other.length === 1 ? `as \`${other[0]}\` in line ${line}` : `in line ${line} too`
    const message = `plan \`${name}\` limits ${ruleText(rule)} ${where}`
    say(path, 'error', 'limit-twice', message, 'keep one of the two')
  }
}

interface Written {
  readonly rule: LimitRule
  readonly path: Path
}

/** The limits of a plan by rows, and by the names of the table where a row means the same. */
const written = (plan: PlanSection): readonly Written[] =>
  rowsOf(plan).flatMap(({ rule, place }): Written[] => {
    const name = nameOfRule(rule)
    const row = { rule, path: ['limits', place] }
    return name === undefined || plan[name] === undefined ? [row] : [row, { rule, path: [name] }]
  })

/** In file order, each once. */
function inOrder(limits: readonly Written[], node: Node): readonly Written[] {
  const distinct = new Map(limits.map(limit => [limit.path.join('.'), limit]))
  const lines = ({ path }: Written) => (nodeAt(node, path) ?? node).span
  return [...distinct.values()].sort((a, b) => lines(a).line - lines(b).line || lines(a).column - lines(b).column)
}

/** A limit of a model that no request of the plan can be for. */
function lintModel(
  name: string,
  plan: PlanSection,
  { model: limited }: LimitRule,
  place: number,
  models: MergedFiles['models'],
  say: Say,
): void {
  if (limited === undefined) return
  const own = [...models.values()].filter(model => isOf(limited, model))
  if (own.length === 0 || own.some(model => !model.data || planIncludes(plan, model))) return
  const message = `plan \`${name}\` limits \`${limited}\`, but does not include it`
  say(['limits', place, 'model'], 'warning', 'limit-not-included', message, 'add it to `models`, or remove the limit')
}

const isOf = (limited: string, { name, data }: Declaration<ModelSection>): boolean =>
  limited === name || limited === `tier:${data?.tier}`
