import type { Claims, Mutable, OutputClaim, SpendClaim } from './decision.ts'
import { COUNT_LIMITS, type CountLimit, mostOf } from './limits.ts'

/** Claims as lines of the decision log have them: each limit of the plan by a name of its own, the optional ones last. */
export interface ClaimsLine extends OptionalClaims {
  readonly requests: LimitClaim
  readonly tokens: LimitClaim & { readonly input: number }
  readonly spend: SpendClaim
  readonly output: OutputClaim
}

interface LimitClaim {
  readonly limit: number
}

type OptionalClaim = Exclude<CountLimit['claim'], 'requests' | 'tokens'>
type OptionalClaims = { readonly [Name in OptionalClaim]?: LimitClaim }

export function claimsLine({ limits, input, spend, output }: Claims): ClaimsLine {
  const line: Mutable<ClaimsLine> = {
    requests: { limit: mostOf(limits, 'rpm') },
    tokens: { limit: mostOf(limits, 'tpm'), input },
    spend,
    output,
  }
  for (const { limit, most } of limits) if (isOptional(limit.claim)) line[limit.claim] = { limit: most }
  return line
}

const isOptional = (claim: CountLimit['claim']): claim is OptionalClaim => claim !== 'requests' && claim !== 'tokens'

export const OPTIONAL_CLAIMS: readonly OptionalClaim[] = COUNT_LIMITS.map(({ claim }) => claim).filter(isOptional)
