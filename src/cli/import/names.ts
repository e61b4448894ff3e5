/** Names as they may be written here, each once, for texts that another gateway takes for names. */
export class Names {
  readonly #given = new Set<string>()

  /** A name as near to the text as may be; another one where that is taken. */
  next(text: string): string {
    const fitting =
      text
        .replace(/[^A-Za-z0-9._-]+/g, '-')
        .replace(/^[^A-Za-z0-9]+|-+$/g, '')
        .slice(0, 60) || 'model'
    const base = fitting === 'all' ? 'all-models' : fitting
    let name = base
    for (let at = 2; this.#given.has(name); at++) name = `${base}-${at}`
    this.#given.add(name)
    return name
  }
}

/** Names in the environment for texts that must not be written here: one for each text, and none that means something else. */
export class Variables {
  readonly #texts = new Map<string, string>()
  readonly #reserved: ReadonlySet<string>
  /** Names that the source refers to, and those that a provider's key has by default. */
  readonly meant = new Set<string>()

  constructor(reserved: ReadonlySet<string> = new Set()) {
    this.#reserved = reserved
  }

  next(text: string, ...words: readonly string[]): string {
    const name = words
      .join('_')
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_')
    for (let at = 1; ; at++) {
      const own = at === 1 ? name : `${name}_${at}`
      const known = this.#texts.get(own)
      if (this.#reserved.has(own) || (known !== undefined && known !== text)) continue
      this.#texts.set(own, text)
      return own
    }
  }

  /** `${NAME}` of a variable that is not made here. */
  of(name: string): string {
    this.meant.add(name)
    return `\${${name}}`
  }
}

/** Reads a source twice: a text gets no name that stands for something else further down. */
export function withVariables<T>(read: (variables: Variables) => T): T {
  const first = new Variables()
  read(first)
  return read(new Variables(first.meant))
}

/** A secret as other texts are compared with it: one that is masked is known at its own place alone. */
export const apart = (text: string | undefined, path: string): string | undefined =>
  text !== undefined && /\*{3}|•{3}|^redacted$|^\[redacted\]$/i.test(text) ? `${path}: ${text}` : text
