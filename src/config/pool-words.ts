import type { Declared, Pool } from '../policy/config.ts'
import type { PoolSection } from './file.ts'
import { POOL_FIELDS } from './pool-fields.ts'

/** A setting of a pool that is a word, words or a flag. The schema has its default, its words and its description. */
interface PoolWord {
  /** Its field in the files. */
  readonly field: keyof PoolSection
  readonly is: 'word' | 'words' | 'flag'
  /**
   * When `show` prints it: always, where it names anything, where it is not the default, where the pool speaks more than chats (models declare the fields of
   * chats), or together with what is known about the provider.
   */
  readonly shown: 'always' | 'where any' | 'where not default' | 'beside chats' | 'with provider'
}

/** Members of a pool with code of their own: its addresses, and the facts about its provider. */
type Apart = keyof Declared | 'replicas' | 'provider' | 'shares'
type Words = Omit<Pool, Apart>
/** The provider's profile decides these where the files are silent. */
type Derived = 'unknownFields' | 'caps' | 'fetch' | 'balance'

/** Every setting of a pool that is a word, words or a flag, in the order of `show`. Resolution, `show` and `plan` follow from a row. */
const rows: { readonly [Member in keyof Words]: PoolWord } = {
  site: { field: 'site', is: 'word', shown: 'always' },
  model: { field: 'model', is: 'word', shown: 'always' },
  speaks: { field: 'speaks', is: 'words', shown: 'beside chats' },
  providerTools: { field: 'provider_tools', is: 'words', shown: 'where any' },
  unknownFields: { field: 'unknown_fields', is: 'word', shown: 'beside chats' },
  fetches: { field: 'fetches', is: 'flag', shown: 'beside chats' },
  passes: { field: 'passes', is: 'words', shown: 'where any' },
  caps: { field: 'cap', is: 'words', shown: 'with provider' },
  fetch: { field: 'fetch', is: 'word', shown: 'with provider' },
  balance: { field: 'balance', is: 'word', shown: 'with provider' },
  caches: { field: 'caches', is: 'word', shown: 'with provider' },
  slotsOver: { field: 'max_concurrent_over', is: 'word', shown: 'where not default' },
}

type WordIn<V> = V extends readonly (infer W)[] ? W : V
type InPolicy = WordIn<Pool['speaks' | 'unknownFields' | 'fetch' | 'balance' | 'caches' | 'slotsOver']>
type InSchema = WordIn<
  NonNullable<PoolSection['speaks' | 'unknown_fields' | 'fetch' | 'balance' | 'caches' | 'max_concurrent_over']>
>
type Differing = Exclude<InPolicy, InSchema> | Exclude<InSchema, InPolicy>

/** Does not compile while policy and the schema differ in a word. */
export const POOL_WORDS = rows satisfies [Differing] extends [never]
  ? unknown
  : `policy and schema differ in ${Differing}`

const ROWS = Object.entries(POOL_WORDS) as readonly (readonly [keyof Words, PoolWord])[]

const DEFAULTS: Readonly<Record<string, { readonly default?: unknown; readonly unit?: string }>> = POOL_FIELDS

/** The words that a pool writes, each with its default. */
export function wordsIn(section: PoolSection): Omit<Words, Derived> {
  const words: Record<string, unknown> = {}
  for (const [member, { field, is }] of ROWS)
    words[member] = section[field] ?? DEFAULTS[field]?.default ?? (is === 'words' ? [] : undefined)
  // The types of rows and of members are those of one table.
  return words as unknown as Omit<Words, Derived>
}

/** A pool's words as `show` prints them, by field. Those that go with the provider are left to it. */
export function shownWords(pool: Words, isOfChats: boolean): Readonly<Record<string, unknown>> {
  const shown: Record<string, unknown> = {}
  for (const [member, row] of ROWS) {
    const value = pool[member]
    const isShown = {
      always: true,
      'where not default': value !== DEFAULTS[row.field]?.default,
      'where any': Array.isArray(value) && value.length > 0,
      'beside chats': !isOfChats,
      'with provider': false,
    }[row.shown]
    if (isShown) shown[row.field] = value
  }
  return shown
}
