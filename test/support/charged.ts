import type { JsonObject } from '../../src/wire/json-safety.ts'
import { usageIn } from '../../src/wire/usage/reported-usage.ts'
import type { Usage } from '../../src/wire/usage/usage.ts'

/** The charge for a completion, or for the chunks of one, by its reported usage; empty without usage. */
export const chargedFor = (...said: readonly object[]): Usage =>
  said.map(each => usageIn(each as JsonObject)).findLast(usage => usage !== undefined) ?? {
    inputTokens: 0,
    outputTokens: 0,
  }
