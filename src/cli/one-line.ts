/** Clients choose names and backends choose texts: neither may write a line of its own, or move the cursor. */
export const oneLine = (text: string): string => text.replace(UNSEEN, ' ')

/** A line of JSON, in which they stay as escapes. */
export const jsonLine = (value: object): string =>
  `${JSON.stringify(value).replace(UNSEEN, unseen => Array.from(unseen, escaped).join(''))}\n`

const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
