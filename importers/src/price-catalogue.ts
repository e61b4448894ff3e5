import { LISTED, SOURCE } from './listed-prices.ts'

/** A provider's price, in US dollars for a million tokens. */
export interface ListedPrice {
  readonly input: number
  readonly output: number | undefined
  readonly cached: number | undefined
  readonly cacheWrite: number | undefined
  /** Long prompts cost more than this. */
  readonly isTiered: boolean
}

/** Where the prices are from, as a comment says it. */
export const CATALOGUE = `${SOURCE.name} ${SOURCE.version} (${SOURCE.day})`

/** The price of a model at its provider, by the name that an import knows that by; undefined where none is listed. */
export function listedPrice(provider: string, model: string): ListedPrice | undefined {
  const id = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined
  if (id === undefined) return undefined
  const line = lineOf(id, model.toLowerCase()) ?? (id === 'azure' ? lineOf('openai', model.toLowerCase()) : undefined)
  if (!line) return undefined
  const [, input, output, cached, cacheWrite, tiered] = line
  const usd = (text: string | undefined) => (text === undefined || text === '-' ? undefined : Number(text))
  return {
    ...{ input: usd(input) ?? 0, output: usd(output), cached: usd(cached), cacheWrite: usd(cacheWrite) },
    isTiered: tiered === '+',
  }
}

const lineOf = (id: string, model: string) =>
  lines().find(([own, , , , , , ...names]) => own === id && names.some(each => isNamed(each, model)))

/** The providers of an import, as the catalogue calls them. */
const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  azure: 'azure',
  baseten: 'baseten',
  cerebras: 'cerebras',
  codestral: 'mistral',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  deepseek: 'deepseek',
  fireworks_ai: 'fireworks',
  gemini: 'google',
  groq: 'groq',
  mistral: 'mistral',
  moonshot: 'moonshotai',
  novita: 'novita',
  openai: 'openai',
  perplexity: 'perplexity',
  together_ai: 'together',
  voyage: 'voyageai',
  xai: 'x-ai',
  zai: 'zai',
}

let parsed: readonly (readonly string[])[] | undefined
const lines = () => {
  parsed ??= LISTED.trim()
    .split('\n')
    .map(line => line.split(' '))
  return parsed
}

/** Whether a model has a name of the catalogue, whose first letter says how it is compared. */
function isNamed(written: string, model: string): boolean {
  const text = written.slice(1)
  const lower = text.toLowerCase()
  switch (written[0]) {
    case '=':
      return model === lower
    case '^':
      return model.startsWith(lower)
    case '$':
      return model.endsWith(lower)
    case '*':
      return model.includes(lower)
    default:
      return new RegExp(text, 'i').test(model)
  }
}
