import { ToolNames } from '../../tool-names.ts'

/** A tool as the client knows it. */
export interface ClientTool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly namespace?: string
}

/** The tools of a request by the names that backends get. A custom tool is sent as a function with one text. */
export class ClientTools {
  readonly #names: ToolNames<ClientTool>

  /** `first` has the tools that came first. They are shared with other requests, and stay as they are. */
  constructor(first?: ClientTools) {
    this.#names = first ? new ToolNames(first.#names) : new ToolNames()
  }

  /** The name that a backend gets. A tool that was named before keeps the kind that it had. */
  send(tool: ClientTool): string {
    const { name, namespace } = tool
    return namespace === undefined
      ? this.#names.send(name, name, tool)
      : this.#names.send(`${namespace}\0${name}`, `${namespace}__${name}`, tool)
  }

  /** The tool that a backend calls; a function of that name where the model made it up. */
  find(sent: string): ClientTool {
    return this.#names.find(sent) ?? { kind: 'function', name: sent }
  }
}
