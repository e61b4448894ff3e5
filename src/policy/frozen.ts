import type { FrozenDenial } from './denial.ts'
import type { Terms } from './facts.ts'

/** The refusal of a frozen account: by an operator, by the identity provider, or with its org. */
export function frozenDenial({ frozen, deactivated, org }: Terms): FrozenDenial {
  const why = deactivated ? { by: 'provider' as const } : org !== undefined && { org }
  return { code: 'ACCOUNT_FROZEN', ...(!frozen && why) }
}
