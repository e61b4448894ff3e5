import { CommandFailed } from '../../server/failure.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import { exchange } from './verify.ts'

/** A chat model or an alias of one, as the gateway lists it. */
export interface ListedModel {
  readonly name: string
  /** Tokens of its context window. */
  readonly context: number
  /** Most tokens of an answer. */
  readonly output: number
  /** True where it takes images. */
  readonly vision: boolean
}

/**
 * The chat models that the gateway lists, in its order, after the wished one where a pattern of an alias fits it. Rejects with exit
 * code 3 when the gateway cannot be reached.
 */
export async function chatModels(gateway: string, wished: string | undefined): Promise<readonly ListedModel[]> {
  const { status, body } = await exchange(`${gateway}/v1/models`)
  const listed = status === 200 && Array.isArray(body.data) ? body.data.filter(isObject).flatMap(listedModel) : []
  if (wished === undefined || listed.some(({ name }) => name === wished)) return listed
  const named = await exchange(`${gateway}/v1/models/${encodeURIComponent(wished)}`)
  return named.status === 200 ? [...listedModel(named.body), ...listed] : listed
}

/** The model that an agent uses: the wished one, else the first one listed. Rejects where nothing is listed or wished. */
export function chosenModel(gateway: string, models: readonly ListedModel[], wished: string | undefined): string {
  const model = wished ?? models[0]?.name
  if (model === undefined) throw new CommandFailed(`✗ ${gateway} lists no chat model: name one with --model`)
  return model
}

function listedModel(entry: JsonObject): readonly ListedModel[] {
  const { id, kind, context_length: context, max_output_tokens: output, architecture } = entry
  if (kind !== 'chat' || typeof id !== 'string' || typeof context !== 'number' || typeof output !== 'number') return []
  const inputs = isObject(architecture) ? architecture.input_modalities : undefined
  return [{ name: id, context, output, vision: Array.isArray(inputs) && inputs.includes('image') }]
}
