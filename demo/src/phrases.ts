/** Names for fields: quoted words, then capitalised ones, then those that follow a preposition. */
export function namesIn(text: string): string[] {
  const quoted = [...text.matchAll(/["“`]([^"”`]+)["”`]/g)].map(match => match[1] ?? '')
  // Europe/Berlin is one.
  const capital = /(?<!^|[.!?]\s+)\b(?!I\b)\p{Lu}[\p{L}\p{N}'/_-]*(?:\s\p{Lu}[\p{L}\p{N}'/_-]*)*/gu
  const names = [...quoted, ...(text.match(capital) ?? [])]
  if (names.length > 0) return [...new Set(names)]
  return [...text.matchAll(/\b(?:in|for|at|to|from|of|about|near)\s+([^,.?!;:]+)/gi)].map(
    match => match[1]?.trim() ?? '',
  )
}

/** The formula that a text wants calculated, functions and all; a sum without them is for `sumIn` to find. */
export function formulaIn(text: string): string | undefined {
  const runs = text.match(/(?:\b[a-z]\w{0,9}\(|\b(?:pi|e)\b|[-\d\s.+*/^%(),])+/gi) ?? []
  const formulas = runs.filter(run => /[a-z]\w*\(.*\d/i.test(run)).map(run => run.trim().replace(/[\s.,]+$/, ''))
  return formulas.sort((a, b) => b.length - a.length)[0]
}

/** The units that a conversion goes from and to. */
export interface Ends {
  readonly from?: string
  readonly to?: string
}

/** The ends that a text speaks of: "5 miles in km", "from Rome to Oslo", "how many feet are 2 yards". */
export function endsIn(text: string): Ends {
  const { from, to } = ENDS.map(pattern => pattern.exec(text)?.groups).find(Boolean) ?? {}
  return { ...(from && { from: trimmed(from) }), ...(to && { to: trimmed(to) }) }
}

const trimmed = (phrase: string): string => phrase.replace(/\.$/, '')

const NUMBER = String.raw`(?<![\d.])\d+(?:\.\d+)?\s*`
/** Up to four words, neither the first of them a number. */
const PHRASE = String.raw`[^\s\d,;:?!.][^\s,;:?!]*(?:\s[^\s,;:?!]+){0,3}?`
const END = String.raw`(?=\s+(?:and|are|as|at|by|for|from|in|into|is|now|on|please|to|today|tomorrow|with)\b|[,;:?!]|\s*$|\.\s)`

const ENDS: readonly RegExp[] = [
  String.raw`${NUMBER}(?<from>${PHRASE})\s+(?:as|in|into|to)\s+(?<to>${PHRASE})${END}`,
  String.raw`\bhow (?:many|much) (?<to>${PHRASE}) (?:are|equals?|is|makes?) ${NUMBER}(?<from>${PHRASE})${END}`,
  String.raw`\bfrom\s+(?<from>${PHRASE})\s+(?:in|into|to)\s+(?<to>${PHRASE})${END}`,
  String.raw`\bfrom\s+(?<from>${PHRASE})${END}`,
  String.raw`\b(?:into|to)\s+(?<to>${PHRASE})${END}`,
].map(source => new RegExp(source, 'iu'))
