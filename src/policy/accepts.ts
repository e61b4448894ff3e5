import type { Accepts, Bound, Model } from './config.ts'
import { type InvalidAt, invalidAt } from './decision.ts'
import type { ChatAsk, Extra, InferenceRequest } from './facts.ts'

/** The first field beyond the known ones that a model does not take; undefined where it takes them all. */
export function extrasDenied(model: Model, request: InferenceRequest): InvalidAt | undefined {
  if (request.kind === 'passthrough' || !request.extras) return undefined
  for (const [field, extra] of Object.entries(request.extras)) {
    const bound = acceptsOf(model)?.get(field)
    if (!bound) {
      // It asks for the default, or is one of the fields that its pools drop or refuse: it is not sent.
      if (extra.isDefault || (request.kind === 'chat' && isDropped(request, field))) continue
      return invalidAt('body', field, `is not accepted by ${model.name}`, model.at)
    }
    const problem = problemOf(bound, extra)
    if (problem !== undefined) return invalidAt('body', field, problem, bound.at)
  }
  return undefined
}

const isDropped = ({ dialect, lostFields }: ChatAsk, field: string): boolean =>
  dialect !== undefined || lostFields?.chat?.includes(field) === true

/** The fields that a model declares beyond the known ones. */
export const acceptsOf = (model: Model): Accepts | undefined =>
  model.kind === 'passthrough' ? undefined : model.accepts

function problemOf(bound: Bound, extra: Extra): string | undefined {
  const { value } = extra
  switch (bound.is) {
    case 'number':
      return typeof value === 'number' && value >= bound.min && value <= bound.max
        ? undefined
        : `must be a number from ${bound.min} to ${bound.max}`
    case 'one_of':
      return typeof value === 'string' && bound.words.includes(value)
        ? undefined
        : `must be one of ${bound.words.map(word => JSON.stringify(word)).join(', ')}`
    case 'text':
      if (extra.characters === undefined) return 'must be a string'
      return extra.characters <= bound.max ? undefined : `must have at most ${bound.max} characters`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be a boolean'
    case 'json':
      return extra.bytes <= bound.max ? undefined : `must have at most ${bound.max} bytes`
  }
}

/** `up to 50`, `as standard or hd`: what follows the name of a field in a sentence. */
export function boundText(bound: Bound): string {
  switch (bound.is) {
    case 'number':
      return bound.min === 0 ? `up to ${bound.max}` : `from ${bound.min} to ${bound.max}`
    case 'one_of':
      return `as ${bound.words.length < 2 ? bound.words.join('') : `${bound.words.slice(0, -1).join(', ')} or ${bound.words.at(-1)}`}`
    case 'text':
      return `of up to ${bound.max} characters`
    case 'boolean':
      return 'as true or false'
    case 'json':
      return `of up to ${bound.max} bytes of JSON`
  }
}
