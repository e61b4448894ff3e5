import { placeOf } from '../../policy/config.ts'
import { isObject, type JsonObject } from '../../wire/openai/body.ts'
import { parse } from '../../wire/openai/chunk.ts'
import { isCount } from '../../wire/openai/usage.ts'
import { type Fault, warning } from './finding.ts'
import { placeText, type Replica } from './replica.ts'

/** What a backend lists at GET /models. */
export interface Listed {
  readonly names: readonly string[]
  /** Of the pool's model; undefined when it is not listed. */
  readonly model?: JsonObject
}

/** Reads a list of models; undefined where it is none, or not all of it. */
export function readList(body: Buffer, name: string): Listed | undefined {
  const list = parse(body.toString('utf8'))
  if (!isObject(list) || !Array.isArray(list.data) || list.has_more === true) return undefined
  const models = list.data.filter(isObject)
  const model = models.find(({ id }) => id === name)
  return { names: models.map(({ id }) => String(id)), ...(model && { model }) }
}

/** Whether the backend takes as much as is promised, where its list says (vLLM, SGLang). */
export function contextFault({ pool, promised: { context } }: Replica, { model }: Listed): Fault | undefined {
  const takes = model?.max_model_len
  if (!context || !isCount(takes) || takes >= context.tokens) return undefined
  const hint = `What is longer is refused there. Start it with more, or declare \`context: ${takes}\` in ${placeText(placeOf(pool, 'context'))}`
  return warning(`takes ${takes} tokens, ${context.by} promises ${context.tokens}`, hint)
}
