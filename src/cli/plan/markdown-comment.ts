/** A comment of a pull request, in paragraphs. */
export const comment = (paragraphs: readonly string[]): string => `${[MARKER, ...paragraphs].join('\n\n')}\n`

/** The first line, by which a workflow finds the comment that it wrote for the commit before. */
export const MARKER = '<!-- svcctl plan -->'

/** GitHub takes a comment of 65,536 characters; three fences are the most there are. */
const MOST_IN_FENCE = 19_000
const MOST_IN_LINE = 500

/** Lines in a block of code that none of them can end, as many as there is room for; the command lists the others. */
export function fence(language: string, lines: readonly string[], command: string): string {
  if (lines.length === 0) return ''
  const shown: string[] = []
  let room = MOST_IN_FENCE
  for (const line of lines.map(short)) {
    room -= line.length + 1
    if (room < 0) break
    shown.push(line)
  }
  const ticks = '`'.repeat(Math.max(3, longestTicks(shown.join('\n')) + 1))
  const left = lines.length - shown.length
  const rest = left > 0 ? `\n\nand ${left.toLocaleString('en-US')} more, which \`${command}\` lists` : ''
  return `${ticks}${language}\n${shown.join('\n')}\n${ticks}${rest}`
}

/** A text as code, in which `@name` mentions no person. */
export function codeSpan(text: string): string {
  const ticks = '`'.repeat(longestTicks(text) + 1)
  const blank = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${ticks}${blank}${text}${blank}${ticks}`
}

const longestTicks = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))

export const short = (text: string): string => (text.length > MOST_IN_LINE ? `${text.slice(0, MOST_IN_LINE)}…` : text)
