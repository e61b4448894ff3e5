import type { Claims, Pieces } from '../decision.ts'
import type { Measure } from '../limits/rule.ts'
import type { Weight } from '../limits/rule-claim.ts'
import type { Charge } from './account-counters.ts'

/** The amount that a request adds to a measure. */
export function amountOf(measure: Measure, weight: Weight): number {
  switch (measure) {
    case 'requests':
    case 'concurrent':
      return 1
    case 'tokens':
      return weight.input + weight.output
    case 'input_tokens':
      return weight.input
    case 'output_tokens':
      return weight.output
    case 'images':
      return weight.images
    case 'seconds':
      return weight.seconds
    case 'usd':
      return weight.cost
  }
}

/** The weight of a request that was granted `tokens` and `cost`, by its claims. */
export const weightOf = ({ input, pieces }: Pick<Claims, 'input' | 'pieces'>, { tokens, cost }: Charge): Weight =>
  weighed(input, tokens - input, cost, pieces)

/** The weight of a request by its charge. */
export const weightOfCharge = ({ tokens, cost, input = tokens, pieces }: Charge): Weight =>
  weighed(input, tokens - input, cost, pieces)

/** A weight less a part of it; 0 where the part is more. */
export const weightWithout = (weight: Weight, part: Weight): Weight => ({
  input: Math.max(0, weight.input - part.input),
  output: Math.max(0, weight.output - part.output),
  images: Math.max(0, weight.images - part.images),
  seconds: Math.max(0, weight.seconds - part.seconds),
  cost: Math.max(0, weight.cost - part.cost),
})

const weighed = (input: number, output: number, cost: number, pieces: Pieces = NO_PIECES): Weight => ({
  input,
  output,
  images: pieces.images ?? 0,
  seconds: pieces.seconds ?? 0,
  cost,
})

const NO_PIECES: Pieces = {}
