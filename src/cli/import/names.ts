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

/** Names in the environment for texts that must not be written here: one for each text. */
export class Variables {
  readonly #texts = new Map<string, string>()

  next(text: string, ...words: readonly string[]): string {
    const name = words
      .join('_')
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_')
    for (let at = 1; ; at++) {
      const own = at === 1 ? name : `${name}_${at}`
      const known = this.#texts.get(own)
      if (known !== undefined && known !== text) continue
      this.#texts.set(own, text)
      return own
    }
  }
}
