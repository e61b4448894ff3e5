import { exactUsd } from '../shared/fmt.ts'
import * as text from './texts/models.tsx'

/** As much of a model of GET /v1/models as the console shows. */
export interface CatalogModel {
  readonly id: string
  readonly kind: string
  readonly context_length?: number
  readonly max_output_tokens?: number
  readonly pricing?: {
    /** US dollars for one token, exact. */
    readonly prompt?: string
    readonly completion?: string
    /** For one image, by its size. */
    readonly image?: Readonly<Record<string, string>>
  }
  readonly capabilities?: { readonly thinking: boolean; readonly tools: boolean; readonly vision: boolean }
  readonly alias_of?: string
}

/** The price of a million tokens, or of an image of the smallest size. */
export function priceOf({ pricing = {} }: CatalogModel): { readonly input: string; readonly output: string } {
  const { prompt, completion, image } = pricing
  const [first] = Object.values(image ?? {})
  if (first !== undefined) return { input: text.anImage(exactUsd(first)), output: '–' }
  return { input: million(prompt), output: completion === '0' ? '–' : million(completion) }
}

/** The point moves by six places: a number would round. */
function million(perToken: string | undefined): string {
  if (perToken === undefined) return '–'
  const [whole = '0', fraction = ''] = perToken.split('.')
  const digits = fraction.padEnd(6, '0')
  const rest = digits.slice(6).replace(/0+$/, '')
  return exactUsd(`${BigInt(whole + digits.slice(0, 6))}${rest === '' ? '' : `.${rest}`}`)
}

export const abilitiesOf = ({ kind, capabilities }: CatalogModel): readonly string[] => [
  kind,
  ...(capabilities?.tools ? ['tools'] : []),
  ...(capabilities?.vision ? ['vision'] : []),
  ...(capabilities?.thinking ? ['thinking'] : []),
]
