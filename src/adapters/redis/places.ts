import { namesIn, type Places } from '../../records/places.ts'

/** Numbers between blanks, which Redis and its scripts read by their places. */
export class NumbersText<Name extends string> {
  readonly places: Places<Name>
  /** Numbers that older texts lack. Where one is absent its place has a dash, or the text ends before. */
  readonly optional: ReadonlySet<Name>
  readonly #names: readonly Name[]

  constructor(places: Places<Name>, optional: readonly NoInfer<Name>[] = []) {
    this.places = places
    this.optional = new Set(optional)
    this.#names = namesIn(places)
  }

  textOf(numbers: Readonly<Record<Name, number | undefined>>): string {
    const texts = this.#names.map(name => numbers[name] ?? ABSENT)
    while (texts.at(-1) === ABSENT) texts.pop()
    return texts.join(' ')
  }

  /** Reads 0 in place of each number that is missing, as scripts do where there is no text. */
  readOrZero(text: string): Record<Name, number> {
    const words = text.split(' ')
    return Object.fromEntries(this.#names.map((name, place) => [name, Number(words[place] ?? 0)])) as Record<
      Name,
      number
    >
  }

  /** Throws where a number is missing that every text has. */
  read(text: string): Record<Name, number> {
    const words = text.split(' ')
    const numbers: Partial<Record<Name, number>> = {}
    for (const [place, name] of this.#names.entries()) {
      const number = Number(words[place])
      if (!Number.isNaN(number)) numbers[name] = number
      else if (!this.optional.has(name)) throw new Error('a script answered without a number')
    }
    return numbers as Record<Name, number>
  }
}

const ABSENT = '-'

/** Texts under the names that a list of fields gives them, as HMGET answers in the order in which it was asked. */
export function textsBy<const Name extends string>(
  names: readonly Name[],
  texts: readonly (string | null | undefined)[],
): Partial<Record<Name, string>> {
  const named: Partial<Record<Name, string>> = {}
  for (const [place, name] of names.entries()) {
    const text = texts[place]
    if (text !== null && text !== undefined) named[name] = text
  }
  return named
}
