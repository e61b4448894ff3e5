import { placeOf } from '../../policy/config.ts'
import type { ListedModel } from '../../wire/dialect.ts'
import { type Fault, warning } from './finding.ts'
import { type ExaminedReplica, placeText } from './replica.ts'

/** A backend's list of its models. */
export interface Listed {
  readonly names: readonly string[]
  /** The pool's model; undefined when it is not listed. */
  readonly model?: ListedModel
}

/** Ollama lists a model with its tag, and takes its name without this one. */
const DEFAULT_TAG = ':latest'

/** Reads a list of models; undefined where it is none, or not all of it. */
export function readList({ dialect, pool }: ExaminedReplica, body: Buffer): Listed | undefined {
  const models = dialect.models(body)
  if (!models) return undefined
  const model = models.find(({ id }) => id === pool.model || id === `${pool.model}${DEFAULT_TAG}`)
  return { names: models.map(({ id }) => id), ...(model && { model }) }
}

/** Whether the backend takes as much as is promised, where its list says. */
export function contextFault({ pool, promised: { context } }: ExaminedReplica, { model }: Listed): Fault | undefined {
  const takes = model?.context
  if (!context || takes === undefined || takes >= context.tokens) return undefined
  const hint = `It refuses longer prompts. Start it with more, or declare \`context: ${takes}\` in ${placeText(placeOf(pool, 'context'))}`
  return warning(`takes ${takes} tokens, but ${context.by} promises ${context.tokens}`, hint)
}
