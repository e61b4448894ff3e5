import type { Alias, Config, EpochMs, Model, PassthroughModel, Price } from '../../policy/config.ts'
import { aliasNamed, isPattern } from '../../policy/model.ts'
import { usdText } from '../money.ts'

export interface CatalogTerms {
  readonly brand: string
  /** When the configuration was loaded: brand names have no birthday of their own. */
  readonly createdAt: EpochMs
  /** Models that are listed; absent where all are. */
  readonly isShown?: ((model: Model) => boolean) | undefined
}

/** GET /v1/models: every model and alias but for patterns, on the one page that clients of Anthropic read as such. */
export function catalog(config: Config, terms: CatalogTerms): object {
  const names = [...config.aliases.values()].filter(alias => !isPattern(alias))
  const { isShown = () => true } = terms
  const entries = [...config.models.values(), ...names].filter(each => isShown('model' in each ? each.model : each))
  return {
    object: 'list',
    data: entries.map(entry => catalogEntry(config, entry, terms)),
    has_more: false,
    first_id: entries.at(0)?.name ?? null,
    last_id: entries.at(-1)?.name ?? null,
  }
}

/** GET /v1/models/{id}; undefined when neither a model nor an alias has the name, and no pattern fits it. */
export function catalogModel(config: Config, id: string, terms: CatalogTerms): object | undefined {
  const entry = config.models.get(id) ?? aliasNamed(config, id)
  return entry && catalogEntry(config, { ...entry, name: id }, terms)
}

function catalogEntry(config: Config, entry: Model | Alias, terms: CatalogTerms): object {
  const model = 'model' in entry ? entry.model : entry
  return {
    id: entry.name,
    object: 'model',
    created: Math.floor(terms.createdAt / 1000),
    owned_by: terms.brand,
    name: entry.name,
    // Anthropic's clients read these in place of `object`, `name` and `created`.
    type: 'model',
    display_name: entry.name,
    created_at: new Date(terms.createdAt - (terms.createdAt % 1000)).toISOString().replace('.000Z', 'Z'),
    kind: model.kind,
    ...(model.kind === 'passthrough' ? passedBy(config, model) : abilities(model)),
    tier: model.tier,
    ...('model' in entry && { alias_of: model.name }),
  }
}

/** Facts that clients read before they send a request, under the names that OpenRouter and vLLM gave them. */
function abilities(model: Exclude<Model, PassthroughModel>): object {
  switch (model.kind) {
    case 'chat':
      return {
        context_length: model.context,
        max_model_len: model.context,
        max_output_tokens: model.maxOutput,
        pricing: pricingOf(model.price),
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

/** The paths of a pass-through model, and the cost of a request. The gateway does not know its inputs and outputs. */
function passedBy({ passthrough }: Config, model: PassthroughModel): object {
  const routes = [...passthrough.values()].filter(route => route.model === model)
  const { price } = model
  return {
    pricing: {
      ...(price && pricingOf(price)),
      endpoints: Object.fromEntries(
        routes.map(({ name, meter }) => [
          name,
          meter.by === 'usage' ? { unit: 'token' } : { unit: meter.by, usd: usdText(meter.price) },
        ]),
      ),
    },
    architecture: { input_modalities: [], output_modalities: [] },
    supported_parameters: [],
  }
}

/** Parameters that a chat request may set beside its messages. */
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

const pricingOf = ({ input, output, cachedInput, cacheWrite }: Price): object => ({
  prompt: perToken(input),
  completion: perToken(output),
  ...(cachedInput !== undefined && { input_cache_read: perToken(cachedInput) }),
  ...(cacheWrite !== undefined && { input_cache_write: perToken(cacheWrite) }),
})

/** USD for one token, as text, from nano-USD for 1,000. */
function perToken(per1k: number): string {
  const digits = String(per1k).padStart(13, '0')
  const fraction = digits.slice(-12).replace(/0+$/, '')
  return `${digits.slice(0, -12)}${fraction && `.${fraction}`}`
}
