import type { JsonObject } from '../../src/wire/json-safety.ts'
import { usageIn } from '../../src/wire/usage/reported-usage.ts'
import type { Usage } from '../../src/wire/usage/usage.ts'

/** What is charged for a completion, or for the chunks of one, by the usage that it reports; nothing where it reports none. */
export const chargedFor = (...said: readonly object[]): Usage =>
  said.map(each => usageIn(each as JsonObject)).findLast(usage => usage !== undefined) ?? {
    inputTokens: 0,
    outputTokens: 0,
  }
