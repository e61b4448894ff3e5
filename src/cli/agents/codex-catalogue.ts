import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import type { ListedModel } from './gateway-models.ts'

/**
 * The gateway's models as entries of Codex' `model_catalog_json`, the chosen model first, at most `MOST_MODELS`. Each entry needs the
 * instructions of Codex itself, which the installed Codex prints. Undefined where it is not installed, or prints none.
 */
export async function codexCatalogue(
  models: readonly ListedModel[],
  chosen: string,
): Promise<readonly object[] | undefined> {
  const bundled = await bundledModels()
  const instructions = instructionsIn(bundled)
  if (instructions === undefined) return undefined
  return models
    .toSorted((one, other) => Number(other.name === chosen) - Number(one.name === chosen))
    .slice(0, MOST_MODELS)
    .map((model, index) => ({
      ...(bundled.find(({ slug }) => slug === model.name) ?? unknownModel(instructions)),
      ...stated(model, index),
    }))
}

/** The instructions make 20 kB of each entry, and svcctl keeps a copy of the file for --undo. */
const MOST_MODELS = 16

/** Values of the gateway, whichever model it is. Codex shows nothing of an entry with `upgrade` but the newer model. */
const stated = ({ name, context, vision }: ListedModel, index: number): object => ({
  slug: name,
  display_name: name,
  visibility: 'list',
  priority: index,
  upgrade: null,
  context_window: context,
  max_context_window: context,
  input_modalities: vision ? ['text', 'image'] : ['text'],
})

/** Codex' own assumptions of a model that it does not know. */
const unknownModel = (instructions: string): object => ({
  description: null,
  supported_reasoning_levels: [],
  shell_type: 'default',
  supported_in_api: true,
  supports_reasoning_summaries: false,
  support_verbosity: false,
  default_verbosity: null,
  apply_patch_tool_type: null,
  truncation_policy: { mode: 'bytes', limit: 10_000 },
  supports_parallel_tool_calls: false,
  experimental_supported_tools: [],
  base_instructions: instructions,
})

/** The instructions of a model that is reached by plain Responses. They name its maker's model, which these models are not. */
function instructionsIn(bundled: readonly JsonObject[]): string | undefined {
  const plain = bundled.filter(({ use_responses_lite }) => use_responses_lite !== true)
  const texts = [...plain, ...bundled].map(({ base_instructions }) => base_instructions)
  const text = texts.find((each): each is string => typeof each === 'string' && each !== '')
  return text?.replace(/\bagent based on GPT-[\w.]+/, 'agent')
}

async function bundledModels(): Promise<readonly JsonObject[]> {
  try {
    const { stdout } = await promisify(execFile)('codex', ['debug', 'models', '--bundled'], {
      timeout: PATIENCE_MS,
      maxBuffer: MOST_BYTES,
    })
    const { models } = JSON.parse(stdout) as { models?: unknown }
    return Array.isArray(models) ? models.filter(isObject) : []
  } catch {
    // Not installed, older than this command, or not JSON.
    return []
  }
}

const PATIENCE_MS = 20_000
const MOST_BYTES = 16_000_000
