/** Clients choose names and backends choose texts: neither may write a line of its own, or move the cursor. */
export const oneLine = (text: string): string => text.replace(UNSEEN, ' ')

/** A printable text of several lines, whose ends and tabs stay. */
export const printable = (text: string): string => text.replace(UNSEEN_IN_LINES, ' ')

/** A text as `oneLine` makes it, in as many characters, so that places in it stay. */
export const oneLineInPlace = (text: string): string => text.replace(EACH_UNSEEN, ' ')

/** JSON, in which they stay as escapes; with `indent` blanks a level on many lines. */
export const jsonText = (value: object, indent = 0): string => inEscapes(JSON.stringify(value, null, indent))

/** Printable JSON on a line of its own. */
export const jsonLine = (value: object): string => `${jsonText(value)}\n`

/** JSON of another program with escapes in place of characters that cannot be seen. */
export const inEscapes = (json: string): string => json.replace(UNSEEN, unseen => Array.from(unseen, escaped).join(''))

const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

const EACH_UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

const UNSEEN_IN_LINES = /(?!\t|\n|\r\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** An end of a line as it is: what JSON.stringify leaves of them is its own. */
const escaped = (character: string): string =>
  character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
