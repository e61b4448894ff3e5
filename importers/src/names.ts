/** Names as they may be written here, each once, for texts that another gateway takes for names. */
export class Names {
  readonly #given = new Set<string>()
  readonly #numbers = new Numbers()

  /** A name as near to the text as may be; another one where that is taken. */
  next(text: string): string {
    const fitting =
      text
        .replace(/[^A-Za-z0-9._-]+/g, '-')
        .replace(/^[^A-Za-z0-9]+|-+$/g, '')
        .slice(0, 60) || 'model'
    const base = fitting === 'all' ? 'all-models' : fitting
    const name = this.#given.has(base) ? this.#numbers.next(base, '-', name => !this.#given.has(name)) : base
    this.#given.add(name)
    return name
  }
}

/** Numbers behind texts of which there are several. A number that was taken is not tried again. */
export class Numbers {
  readonly #tried = new Map<string, number>()

  /** The next `text-2`, `text-3` that is free. */
  next(text: string, between: string, isFree: (name: string) => boolean): string {
    for (let at = this.#tried.get(text) ?? 2; ; at++) {
      const name = `${text}${between}${at}`
      if (!isFree(name)) continue
      this.#tried.set(text, at)
      return name
    }
  }
}

/** Names in the environment for texts that must not be written here: one for each text, and none that means something else. */
export class Variables {
  readonly #texts = new Map<string, string>()
  /** Texts that got another name than they asked for, by that name and the text. */
  readonly #others = new Map<string, string>()
  readonly #numbers = new Numbers()
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
    const isFree = (own: string) => !this.#reserved.has(own) && (this.#texts.get(own) ?? text) === text
    const wish = `${name} ${text}`
    const own = isFree(name) ? name : (this.#others.get(wish) ?? this.#numbers.next(name, '_', isFree))
    if (own !== name) this.#others.set(wish, own)
    this.#texts.set(own, text)
    return own
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
