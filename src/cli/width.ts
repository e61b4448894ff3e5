/** East Asian letters and emoji take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1faff}\u{20000}-\u{3fffd}]/u
/** Accents that are written onto the letter before, and joiners, take none. */
const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u
const PLAIN = /^[\x20-\x7e]*$/

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const character of text) width += WIDE.test(character) ? 2 : NARROW.test(character) ? 0 : 1
  return width
}

/** A text in exactly this many columns: filled up with blanks, or cut, with `…` at its end. */
export function clip(text: string, width: number): string {
  const own = widthOf(text)
  if (own <= width) return text + ' '.repeat(width - own)
  if (width <= 0) return ''
  let cut = ''
  let taken = 0
  for (const character of text) {
    const next = widthOf(character)
    if (taken + next > width - 1) break
    cut += character
    taken += next
  }
  return `${cut}…${' '.repeat(width - 1 - taken)}`
}

/** A text in lines of at most this many columns, broken between words. A word that is longer has a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  let line = ''
  const lines: string[] = []
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
