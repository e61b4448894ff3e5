import { type Left, Section } from '../section.ts'
import { CONFIG, OVERRIDES, STRATEGY } from './reasons.ts'

/** A target that answers, with the configs around it, whose settings it has too. */
export interface Leaf {
  /** Outermost first. */
  readonly nodes: readonly Node[]
  /** The target of the outermost config that it is in. */
  readonly target: string
}

interface Node {
  readonly value: unknown
  readonly path: string
}

/** The targets of a config in the order in which they are tried, and what of the configs around them has no place here. */
export function leavesOf(config: unknown): { readonly leaves: readonly Leaf[]; readonly left: readonly Left[] } {
  const left: Left[] = []
  const walk = (node: Node, around: readonly Node[], target: string): readonly Leaf[] => {
    const section = new Section(node.value, node.path)
    const nodes = [...around, node]
    const targets = section.take('targets')
    if (!Array.isArray(targets) || targets.length === 0) return [{ nodes, target }]
    const strategy = section.section('strategy')
    const mode = strategy.text('mode')
    const isOutermost = around.length === 0
    strategy.take('conditions')
    strategy.take('default')
    if (mode === 'loadbalance') strategy.refuse('mode', STRATEGY.loadbalance ?? '')
    if (mode === 'conditional' && !isOutermost) strategy.refuse('mode', STRATEGY.conditions ?? '')
    const overridden = overriddenIn(section)
    for (const name of [...INHERITED, 'name']) section.take(name)
    left.push(...strategy.left(STRATEGY), ...section.left(CONFIG), ...overridden)
    const tried = mode === 'single' ? targets.slice(0, 1) : targets
    return tried.flatMap((value, at) => {
      const inner = { value, path: `${node.path === '' ? '' : `${node.path}.`}targets[${at}]` }
      return walk(inner, nodes, isOutermost ? (new Section(value, '').text('name') ?? `target-${at + 1}`) : target)
    })
  }
  return { leaves: walk({ value: config, path: '' }, [], 'target-1'), left }
}

/** Overrides of a config for its targets that have no place here. */
function overriddenIn(section: Section): readonly Left[] {
  const overrides = section.section('override_params')
  for (const name of ['model', ...CAPS]) overrides.take(name)
  return overrides.left(OVERRIDES)
}

/** Members that targets inherit from the configs around them. */
export const INHERITED = ['provider', 'virtual_key', 'api_key', 'custom_host', 'request_timeout', 'override_params']

/** The fields of `override_params` for the most tokens of an answer. */
export const CAPS = ['max_tokens', 'max_completion_tokens']
