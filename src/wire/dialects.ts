import type { Dialect } from './dialect.ts'
import { openai } from './openai/dialect.ts'

const DIALECTS = { openai } as const satisfies Readonly<Record<string, Dialect>>

/** The dialect of a pool, by its settings: OpenAI's, where they name none. */
export const dialectOf = ({ dialect = 'openai' }: { readonly dialect?: keyof typeof DIALECTS }): Dialect =>
  DIALECTS[dialect]
