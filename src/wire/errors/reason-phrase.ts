import { isOfTheWire } from '../../policy/fields.ts'
import type { AnyDenial } from './codes.ts'

/** A proxy may cut a longer status line. */
const MOST_CHARACTERS = 120

/**
 * The reason phrase of an error: all that some SDKs show. It says what is wrong in words of ours alone: what a client or a
 * backend wrote is left out, since a status line is logged where a body is not. `otherwise` is what the code says.
 */
export function reasonPhrase(denial: AnyDenial, otherwise: string): string {
  const cause = denial.code === 'VALIDATION_ERROR' ? causeOf(denial) : undefined
  return `${denial.code}: ${cause ?? otherwise}`.replace(/[^ -~]/g, '').slice(0, MOST_CHARACTERS)
}

type Invalid = Extract<AnyDenial, { readonly code: 'VALIDATION_ERROR' }>

function causeOf({ field, problem, reason }: Invalid): string | undefined {
  if (reason === 'context_length_exceeded') return 'the prompt is too long for the model: context_length_exceeded'
  if (problem.startsWith(BACKEND)) return reason === undefined ? BACKEND : `${BACKEND}: ${reason}`
  if (field === '') return undefined
  const place = placeOf(field)
  const said = OURS.test(problem) ? wordsOf(problem) : 'is not valid'
  return place === undefined ? `a field ${said}` : `${place}: ${said}`
}

/** How the problem begins where a backend found one. */
export const BACKEND = 'the backend refused the request'

/** How our own problems begin that hold nothing of the body but in quotes. */
const OURS =
  /^(?:is (?:required|empty|not (?:valid|accepted|UTF-8))|must |needs |no such |has (?:more than )?\d|differs from |\d+ leaves no room )/

/** Up to the first clause, and without what is in the quotes that names of clients stand in. */
const wordsOf = (problem: string): string =>
  (problem.split(/[;:] /, 1)[0] ?? problem)
    // A name may have quotes of its own: nothing behind the first one is ours for sure.
    .replace(/ ?[`'].*$/s, '')
    .trim()

/** Names within fields, of headers, and of fields of the newer dialects. All others are a client's own, such as those of a schema. */
const NAMES: ReadonlySet<string> = new Set(
  `role content type text image_url url detail name tool_calls tool_call_id function arguments id include_usage json_schema
  schema strict enable_thinking parameters description custom format quality service_tier instructions
  max_output_tokens include reasoning metadata previous_response_id conversation background truncation system
  stop_sequences thinking budget_tokens input_schema output_config body query key device_id host authorization x-api-key
  api-key content-type content-length content-encoding transfer-encoding`.split(/\s+/),
)

/** The part of a field's place that is the wire's: `tools[0].function.parameters` of one that goes on with a name. */
function placeOf(field: string): string | undefined {
  const steps = field.split('.')
  const strange = steps.findIndex(step => !isKnown(step.replace(/(?:\[\d+\])+$/, '')))
  return (strange === -1 ? steps : steps.slice(0, strange)).join('.') || undefined
}

const isKnown = (name: string): boolean => NAMES.has(name) || isOfTheWire(name)
