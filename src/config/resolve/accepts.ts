import type { Accepts, Bound, DeclaredFields, Model, Place } from '../../policy/config.ts'
import { type FieldKind, whyUndeclarable } from '../../policy/fields.ts'
import type { AcceptedSection, ModelSection } from '../file.ts'
import { entriesOf, type Node, nodeAt } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import type { Say } from '../problem.ts'

/** The fields that a model declares; `node` is the model's. */
export function acceptsOf({ accepts = {} }: { readonly accepts?: Written }, node: Node): { accepts?: Accepts } {
  const places = new Map([...entriesOf(nodeAt(node, ['accepts']))].map(([field, { key }]) => [field, key]))
  const bounds = new Map<string, Bound>()
  for (const [field, written] of Object.entries(accepts)) {
    const { file, line, column } = places.get(field) ?? node.span
    bounds.set(field, boundOf(written, { file, line, column }))
  }
  return bounds.size > 0 ? { accepts: bounds } : {}
}

/** The part of a section that names the kind of bound. */
const BOUNDS = ['max', 'one_of', 'max_length', 'boolean', 'max_size'] as const

type Written = Readonly<Record<string, AcceptedSection>>

function boundOf(written: AcceptedSection, at: Place): Bound {
  const { min = 0, max, one_of: words, max_length: length, max_size: size } = written
  if (max !== undefined) return { at, is: 'number', min, max }
  if (words) return { at, is: 'one_of', words }
  if (length !== undefined) return { at, is: 'text', max: unitOf('count', length) }
  return size === undefined ? { at, is: 'boolean' } : { at, is: 'json', max: unitOf('size', size) }
}

/** All fields that models of a kind declare, each with the words that any of them lists. */
export function declaredIn(models: Iterable<Model>): Readonly<Record<FieldKind, DeclaredFields>> {
  const declared = { chat: new Map(), embedding: new Map(), image: new Map() } satisfies Record<FieldKind, Fields>
  for (const model of models) {
    if (model.kind === 'passthrough' || !model.accepts) continue
    const fields: Fields = declared[model.kind]
    for (const [field, bound] of model.accepts) {
      const words = fields.get(field) ?? new Set()
      for (const word of bound.is === 'one_of' ? bound.words : []) words.add(word)
      fields.set(field, words)
    }
  }
  return declared
}

type Fields = Map<string, Set<string>>

/** Reports fields that no model may declare, and bounds that are none or several. */
export function lintAccepts(name: string, model: ModelSection, say: Say): void {
  if (model.kind === 'passthrough') return
  for (const [field, written] of Object.entries(model.accepts ?? {})) {
    const why = whyUndeclarable(model.kind, field)
    if (why !== undefined) {
      const message = `model \`${name}\` cannot declare \`${field}\``
      say(['accepts', field], 'error', 'not-declarable', message, `remove it: ${why}`)
    }
    lintBound(field, written, say)
  }
}

function lintBound(field: string, written: AcceptedSection, say: Say): void {
  const [first, second] = BOUNDS.filter(bound => written[bound] !== undefined)
  const at = ['accepts', field]
  if (first === undefined) {
    const known = BOUNDS.map(bound => `\`${bound}\``).join(', ')
    say(at, 'error', 'no-bound', `\`${field}\` has no bound`, `add one of ${known}`)
  } else if (second !== undefined) {
    say(
      [...at, second],
      'error',
      'two-bounds',
      `\`${field}\` has both \`${first}\` and \`${second}\``,
      'keep one of them',
    )
  }
  const { min, max } = written
  if (min === undefined || first === undefined) return
  if (max === undefined)
    say([...at, 'min'], 'error', 'needs-max', `\`${field}\` has \`min\`, but no \`max\``, 'add `max`, or remove it')
  else if (min > max)
    say([...at, 'min'], 'error', 'min-above-max', `no number is at least ${min} and at most ${max}`, 'lower it')
}
