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
    ...abilities(model),
    tier: model.tier,
    ...(entry !== model && { alias_of: model.name }),
  }
}

function abilities(model: Model): object {
  switch (model.kind) {
    case 'chat':
      return {
        context_length: model.context,
        max_output_tokens: model.maxOutput,
        pricing: { prompt: perToken(model.price.input), completion: perToken(model.price.output) },
        capabilities: { thinking: model.thinking !== undefined, tools: true, vision: model.vision },
      }
    case 'embedding':
      return {
        context_length: model.context,
        dimensions: model.dimensions,
        pricing: { prompt: perToken(model.price.input), completion: '0' },
      }
    case 'image':
      return { pricing: { image: Object.fromEntries([...model.sizes].map(([size, nano]) => [size, usdText(nano)])) } }
  }
}

/** USD for one token, as text, from nano-USD for 1,000. */
function perToken(per1k: number): string {
  const digits = String(per1k).padStart(13, '0')
  const fraction = digits.slice(-12).replace(/0+$/, '')
  return `${digits.slice(0, -12)}${fraction && `.${fraction}`}`
}
