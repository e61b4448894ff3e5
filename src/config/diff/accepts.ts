import { boundText } from '../../policy/accepts.ts'
import type { Accepts, Bound } from '../../policy/config.ts'
import type { Effect, Said } from './rule.ts'

const NONE: Accepts = new Map()

/** `svc-image accepts num_inference_steps up to 50`: the fields beyond the known ones that requests may carry. */
export function acceptsRule(
  from: Accepts | undefined = NONE,
  to: Accepts | undefined = NONE,
  subject: string,
): readonly Said[] {
  const fields = new Set([...from.keys(), ...to.keys()])
  return [...fields].flatMap(field => fieldRule(field, from.get(field), to.get(field), subject))
}

function fieldRule(name: string, from: Bound | undefined, to: Bound | undefined, subject: string): readonly Said[] {
  const [was, is] = [from, to].map(bound => (bound ? `${name} ${boundText(bound)}` : null))
  if (was === undefined || is === undefined || was === is) return []
  if (!to)
    return [{ field: 'accepts', from: was, to: is, text: `${subject} no longer accepts ${name}`, effect: 'lost' }]
  const before = from ? `, no longer ${boundText(from)}` : ''
  const text = `${subject} accepts ${is}${before}`
  return [{ field: 'accepts', from: was, to: is, text, effect: from ? feel(from, to) : 'more', at: to.at }]
}

/** Whether what was accepted still is, and more. */
function feel(from: Bound, to: Bound): Effect {
  if (holds(to, from)) return 'more'
  return holds(from, to) ? 'less' : 'other'
}

/** Whether a bound allows all that another one does. */
function holds(bound: Bound, other: Bound): boolean {
  if (bound.is === 'json')
    return other.is === 'boolean' || other.is === 'number' || (other.is === 'json' && other.max <= bound.max)
  if (bound.is === 'number') return other.is === 'number' && other.min >= bound.min && other.max <= bound.max
  if (bound.is === 'boolean') return other.is === 'boolean'
  if (other.is === 'one_of')
    return other.words.every(word => (bound.is === 'text' ? word.length <= bound.max : bound.words.includes(word)))
  return bound.is === 'text' && other.is === 'text' && other.max <= bound.max
}
