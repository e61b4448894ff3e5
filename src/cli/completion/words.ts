import { homedir } from 'node:os'

/** The configuration that a command line names, of which shells give the words as they are written; undefined where it names none. */
export function configOf(words: readonly string[]): string | undefined {
  let found: string | undefined
  for (const [at, word] of words.entries()) {
    const [, attached] = /^(?:--config=|-c(?!=))(.+)$/.exec(word) ?? []
    if (attached !== undefined) found = attached
    // Of `--config=FILE` bash makes three words.
    else if (word === '-c' || word === '--config') found = words[at + 1] === '=' ? words[at + 2] : words[at + 1]
  }
  return found === undefined ? undefined : unquoted(found)
}

/** What a word of a shell stands for, as far as quotes and the home directory go. Nothing in it is run. */
const unquoted = (word: string): string =>
  word
    .replace(/^~(?=\/|$)/, homedir())
    .replace(/\\(.)|'([^']*)'|"([^"]*)"/g, (_, escaped?: string, single?: string, double?: string) =>
      [escaped, single, double].join(''),
    )
