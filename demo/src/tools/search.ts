import type { Passage } from './documents.ts'

/** A full-text index: passages that have the rarest words of a query come first (BM25). */
export class SearchIndex {
  readonly #entries: readonly Entry[]
  /** In how many passages a term is. */
  readonly #spread = new Map<string, number>()
  readonly #averageLength: number

  constructor(passages: readonly Passage[]) {
    this.#entries = passages.map(entryOf)
    for (const { counts } of this.#entries) {
      for (const term of counts.keys()) this.#spread.set(term, (this.#spread.get(term) ?? 0) + 1)
    }
    const total = this.#entries.reduce((sum, { length }) => sum + length, 0)
    this.#averageLength = total / Math.max(1, this.#entries.length)
  }

  /** The best `limit` passages, best first; only those that have a term of the query. */
  search(query: string, limit: number): readonly Passage[] {
    const terms = [...new Set(termsOf(query))]
    return this.#entries
      .map(entry => ({ entry, score: this.#score(entry, terms) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ entry }) => entry.passage)
  }

  #score({ counts, length }: Entry, terms: readonly string[]): number {
    const ballast = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / this.#averageLength)
    return terms.reduce((sum, term) => {
      const count = counts.get(term) ?? 0
      return sum + (this.#weight(term) * count * (SATURATION + 1)) / (count + ballast)
    }, 0)
  }

  /** More, the fewer passages have the term. */
  #weight(term: string): number {
    const having = this.#spread.get(term) ?? 0
    return Math.log(1 + (this.#entries.length - having + 0.5) / (having + 0.5))
  }
}

interface Entry {
  readonly passage: Passage
  readonly counts: ReadonlyMap<string, number>
  /** In terms. */
  readonly length: number
}

/** The usual constants of BM25. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75
/** A word of the heading counts as so many of the text. */
const TITLE_WEIGHT = 4

function entryOf(passage: Passage): Entry {
  const own = passage.title.split(' > ').at(-1) ?? ''
  const terms = [...termsOf(passage.text), ...Array.from({ length: TITLE_WEIGHT }, () => termsOf(own)).flat()]
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return { passage, counts, length: terms.length }
}

const STOP = new Set(
  `a about an and any are as at be been but by can do does for from had has have how i if in into is it its me my no not of
  on or our so such tell than that the their them then there these they this to was we were what when where which who why
  will with work works you your`.split(/\s+/),
)

/** Words in lower case, without endings: `failing`, `fails` and `failed` are one term. `max_tokens` is two. */
function termsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter(word => !STOP.has(word)).map(stem)
}

const stem = (word: string): string =>
  word.replace(/(?<=.{3})(?:ies|es|s)$/, '').replace(/(?<=.{4})(?:ing|ed|er|or|ions?|e|y)$/, '')
