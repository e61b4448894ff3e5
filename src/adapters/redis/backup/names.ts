import { BUCKETS, type Layout } from '../layout.ts'
import type { DedicatedConnections } from '../servers/dedicated-connections.ts'

/** The names in one bucket, after its tag, by kind. The last part of a name follows `:`. */
export type BucketNames = Readonly<Partial<Record<NameKind, readonly string[]>>>

export type NameKind = (typeof KINDS)[number]

/** The kinds that are found by their names; others are found by these. */
const KINDS = [
  ...['account', 'key', 'org', 'hold', 'spend', 'rules', 'shared-rules', 'totals', 'waste', 'allowance'],
  ...['guest-spend', 'responses', 'invoices'],
] as const

/**
 * The names of all buckets, some buckets at a time: more of them are searched for together where there are few names in all.
 * A name that was there before and after the search is among them.
 */
export async function* namesByBucket(
  dedicated: DedicatedConnections,
  layout: Layout,
): AsyncGenerator<ReadonlyMap<string, BucketNames>, void, undefined> {
  const sizes = await Promise.all((await dedicated.all()).map(({ client }) => client.dbSize()))
  const size = sizes.reduce((sum, each) => sum + each, 0)
  for (const pattern of patternsFor(size)) {
    const isHere = new RegExp(`^${pattern.replaceAll('?', '.')}$`)
    const buckets = new Map(BUCKETS.filter(bucket => isHere.test(bucket)).map(bucket => [bucket, emptyNames()]))
    for await (const name of scan(dedicated, layout.likeIn(pattern, '*'))) {
      const [, bucket = '', kind = '', rest = ''] = NAME.exec(layout.within(name)) ?? []
      if (!isKind(kind)) continue
      const kinds = buckets.get(bucket)
      kinds?.set(kind, (kinds.get(kind) ?? new Set()).add(rest))
    }
    yield new Map(Array.from(buckets, ([bucket, kinds]) => [bucket, listed(kinds)]))
  }
}

/** Names in Redis that match a pattern; one may come twice. */
export async function* scan(dedicated: DedicatedConnections, pattern: string): AsyncGenerator<string, void, undefined> {
  for (const { client } of await dedicated.all()) {
    let cursor = '0'
    do {
      const page = await client.scan(cursor, { MATCH: pattern, COUNT: STEP })
      cursor = String(page.cursor)
      yield* page.keys
    } while (cursor !== '0')
  }
}

/** Names that Redis examines in one step. */
const STEP = 1000

const NAME = /^\{(..)\}:([a-z-]+):([\s\S]+)$/

const emptyNames = () => new Map<NameKind, Set<string>>()

const isKind = (text: string): text is NameKind => (KINDS as readonly string[]).includes(text)

const listed = (kinds: ReadonlyMap<NameKind, ReadonlySet<string>>): BucketNames =>
  Object.fromEntries(Array.from(kinds, ([kind, names]) => [kind, [...names]]))

/** The most names that are kept at once, about: a hundred bytes each. */
const NAMES_AT_ONCE = 500_000
const DIGITS = '0123456789abcdef'

function patternsFor(names: number): readonly string[] {
  if (names <= NAMES_AT_ONCE) return ['??']
  if (names <= NAMES_AT_ONCE * DIGITS.length) return Array.from(DIGITS, digit => `${digit}?`)
  return Array.from(DIGITS, first => Array.from(DIGITS, second => first + second)).flat()
}
