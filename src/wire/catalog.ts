import type { Alias, Config, EpochMs, Model } from '../policy/config.ts'
import { usdText } from './money.ts'

export interface CatalogTerms {
  readonly brand: string
  /** When the configuration was loaded: brand names have no birthday of their own. */
  readonly createdAt: EpochMs
}

/** GET /v1/models: every model and alias. Spec 2.8. */
export const catalog = (config: Config, terms: CatalogTerms): object => ({
  object: 'list',
  data: [...config.models.values(), ...config.aliases.values()].map(entry => catalogEntry(entry, terms)),
})

/** GET /v1/models/{id}; undefined when neither a model nor an alias has the name. */
export function catalogModel(config: Config, id: string, terms: CatalogTerms): object | undefined {
  const entry = config.models.get(id) ?? config.aliases.get(id)
  return entry && catalogEntry(entry, terms)
}

function catalogEntry(entry: Model | Alias, terms: CatalogTerms): object {
  const model = 'model' in entry ? entry.model : entry
  return {
    id: entry.name,
    object: 'model',
    created: Math.floor(terms.createdAt / 1000),
    owned_by: terms.brand,
    name: entry.name,
    kind: model.kind,
    ...abilities(model),
    tier: model.tier,
    ...(entry !== model && { alias_of: model.name }),
  }
}

/** What clients read before they ask: under the names that OpenRouter and vLLM gave these facts. */
function abilities(model: Model): object {
  switch (model.kind) {
    case 'chat':
      return {
        context_length: model.context,
        max_model_len: model.context,
        max_output_tokens: model.maxOutput,
        pricing: { prompt: perToken(model.price.input), completion: perToken(model.price.output) },
        architecture: { input_modalities: model.vision ? ['text', 'image'] : ['text'], output_modalities: ['text'] },
        supported_parameters: model.thinking ? [...chatParameters, 'chat_template_kwargs'] : chatParameters,
        capabilities: { thinking: model.thinking !== undefined, tools: true, vision: model.vision },
      }
    case 'embedding':
      return {
        context_length: model.context,
        max_model_len: model.context,
        dimensions: model.dimensions,
        pricing: { prompt: perToken(model.price.input), completion: '0' },
        architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
        supported_parameters: ['encoding_format', 'dimensions'],
      }
    case 'image':
      return {
        pricing: { image: Object.fromEntries([...model.sizes].map(([size, nano]) => [size, usdText(nano)])) },
        architecture: { input_modalities: ['text'], output_modalities: ['image'] },
        supported_parameters: ['n', 'size', 'response_format'],
      }
  }
}

/** What a chat request may set, beside its messages. */
const chatParameters = [
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'seed',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
]

/** USD for one token, as text, from nano-USD for 1,000. */
function perToken(per1k: number): string {
  const digits = String(per1k).padStart(13, '0')
  const fraction = digits.slice(-12).replace(/0+$/, '')
  return `${digits.slice(0, -12)}${fraction && `.${fraction}`}`
}
