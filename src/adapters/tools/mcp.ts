import type { McpToolSettings } from '../../config/settings.ts'
import type { ToolDefinition } from '../../gateway/ports.ts'
import type { Complain } from './complaint.ts'
import { ToolFailure } from './failure.ts'
import { outcomeOf } from './mcp-content.ts'
import type { McpServer } from './mcp-server.ts'
import { loadSdk } from './mcp-session.ts'
import type { Arguments, Outcome, Tool } from './tool.ts'

/** A tool of an MCP server. */
export class McpTool implements Tool {
  readonly #settings: McpToolSettings
  readonly #server: McpServer
  readonly #complain: Complain

  constructor(settings: McpToolSettings, server: McpServer, complain: Complain) {
    this.#settings = settings
    this.#server = server
    this.#complain = complain
    server.want(settings.tool)
  }

  async define(): Promise<ToolDefinition | undefined> {
    const { tool, description } = this.#settings
    const tools = await this.#server.tools()
    // The server is complained of.
    if (!tools) return undefined
    const listed = tools.get(tool) ?? { problem: 'the server lists no such tool' }
    this.#complain('problem' in listed ? new ToolFailure(listed.problem) : undefined)
    if ('problem' in listed) return undefined
    return description === undefined ? listed.definition : { ...listed.definition, description }
  }

  load(): Promise<unknown> {
    return loadSdk()
  }

  async call(args: Arguments, signal: AbortSignal): Promise<Outcome> {
    return outcomeOf(await this.#server.call(this.#settings.tool, args, signal))
  }
}
