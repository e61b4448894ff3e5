/** A value of a body that came before, and its bytes. Nothing is wrong with it. */
export interface KnownSpan {
  /** A list or an object in JSON, without blanks around it. */
  readonly bytes: Buffer
  readonly value: object
  /** Names, values and short texts in it as a pass counts them. */
  readonly names: number
  readonly values: number
  readonly shortTexts: number
  /** Names in what was parsed of it: fewer where one stands twice. */
  readonly parsedNames: number
  /** Whether one of them is that of a known member in other letters. */
  readonly misspells: boolean
}

/** The values that requests of one account bring again and again. A value is known by all of its bytes. */
export interface KnownSpans {
  readonly isEmpty: boolean
  /** The known value that stands at a place of a text. */
  find(text: Buffer, at: number): KnownSpan | undefined
  /** Whether the value between two places of a text is one to add: it came before. */
  wants(text: Buffer, from: number, to: number): boolean
  add(span: KnownSpan): void
}
