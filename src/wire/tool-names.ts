import { createHash } from 'node:crypto'

/**
 * The names of the tools of one request, as backends take them and back. Clients may use any characters and more of them
 * than a backend accepts. The same name is sent the same way each time, so that a backend finds its cached prompt again.
 */
export class ToolNames<Tool> {
  readonly #first: ToolNames<Tool> | undefined
  readonly #sent = new Map<string, string>()
  readonly #tools = new Map<string, Tool>()

  /** `first` has the names that came first. They are shared with other requests, and stay as they are. */
  constructor(first?: ToolNames<Tool>) {
    this.#first = first
  }

  /**
   * The name that a backend gets for a tool. `key` distinguishes the tools of the request; `name` is what the model should
   * call it, if it could. The first tool of a key is what the name stands for on the way back.
   */
  send(key: string, name: string, tool: Tool): string {
    const known = this.#sentFor(key)
    if (known !== undefined) return known
    let sent = acceptedName(name)
    // Two names that differ in other characters alone would become one.
    for (let count = 0; this.find(sent) !== undefined; count++) sent = hashed(sent, `${key}${'#'.repeat(count)}`)
    this.#sent.set(key, sent)
    this.#tools.set(sent, tool)
    return sent
  }

  /** The tool that a backend calls by this name; undefined where it made the name up. */
  find(sent: string): Tool | undefined {
    return this.#first?.find(sent) ?? this.#tools.get(sent)
  }

  #sentFor(key: string): string | undefined {
    const first = this.#first
    const sent = first === undefined ? undefined : first.#sentFor(key)
    return sent ?? this.#sent.get(key)
  }
}

/** A name with what every backend takes: 1 to 64 letters, digits, `_` and `-`. */
function acceptedName(name: string): string {
  const plain = name.replaceAll(OTHERS, '_')
  return plain.length > MAX_CHARS ? hashed(plain, name) : plain || '_'
}

const OTHERS = /[^A-Za-z0-9_-]/g
const MAX_CHARS = 64
const HASH_CHARS = 8

/** The beginning of a name with a few digits that tell it from others that begin so. */
const hashed = (plain: string, whole: string): string =>
  `${plain.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${createHash('sha256').update(whole).digest('hex').slice(0, HASH_CHARS)}`
