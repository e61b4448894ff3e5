import type { KnownSpan, KnownSpans } from './known-span.ts'

/** One pass over the bytes of a JSON text, before anything of it is parsed. */
export interface BodyPass {
  /**
   * The findings of the pass, or the bound that was passed: then it stops. `elides` leaves long texts out, where the
   * pass can, and values that are known.
   */
  read(bytes: Buffer, most: Most, elides: Elides, known?: KnownSpans): Reading | keyof Most
  /** Whether more names, or more short texts, are new to the parser than may be. */
  newExceeded(bytes: Buffer, most: MostNew): keyof MostNew | undefined
}

/**
 * Which long texts are left out: none; those of a chat and of an input to embed; or those of Responses and Messages, whose
 * marks end with U+0000 as well, since their texts are put together.
 */
export type Elides = 'none' | 'chat' | 'embeddings' | 'dialects'

export interface Most {
  readonly depth: number
  readonly values: number
  /** The most members of the outermost object. */
  readonly members: number
}

export interface MostNew {
  readonly names: number
  readonly texts: number
}

/** A member of the object that a JSON text is, in bytes of the text. */
export interface Member {
  /** The position of its name as written, without quotes. */
  readonly nameStart: number
  readonly nameEnd: number
  /** Where its value begins, right behind the colon, and where it ends, blanks and all. */
  readonly start: number
  readonly end: number
}

/** The findings of one pass over a JSON text. */
export interface Shape {
  /** Names in it, at any depth. */
  readonly names: number
  /** The members of the outermost object, in order. */
  readonly members: readonly Member[]
}

export interface Reading extends Shape {
  readonly values: number
  /** Strings that are no names and may have ten characters or fewer. */
  readonly shortTexts: number
  /** Whether a name of the outermost object has escapes in it, or there are more members than `members` holds. */
  readonly notSpliceable: boolean
  /** Whether a string has escapes such as \u00e9. */
  readonly hasHexEscape: boolean
  /** Whether marks may stand in it: the pass leaves texts out, and the text has no U+0000 of its own. */
  readonly isMarkable: boolean
  /** Members whose values are known: a mark stands for each, U+0000 and its place in this list. */
  readonly known: readonly KnownMember[]
  /** The text without what was left out, where anything was; to be read before the next call of the pass. */
  readonly elision: Elision | undefined
}

/** A member of the outermost object whose value is known. */
export interface KnownMember {
  /** As it is written. */
  readonly name: string
  readonly span: KnownSpan
}

export interface Elision {
  /** Bytes of the outline. */
  readonly length: number
  /** The outline: in the place of each text that is left out stands a mark, U+0000 and its number. */
  text(encoding: 'latin1' | 'utf8'): string
  /** For each text that is left out: where its quotes begin and end, and its UTF-8 bytes. */
  places(): Int32Array
}

/** The JSON of an object in which no name stands twice, at any depth, and none of `members` has escapes in its name. */
export interface Written {
  readonly bytes: Buffer
  readonly members: readonly Member[]
}
