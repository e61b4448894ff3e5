import type { McpToolSettings } from '../../config/settings.ts'
import type { ToolDefinition } from '../../gateway/ports.ts'
import { isObject } from '../../wire/json-safety.ts'
import type { McpServer } from './mcp-server.ts'
import { loadSdk } from './mcp-session.ts'
import { type Arguments, type Complain, type Outcome, type Tool, ToolFailure, UNREADABLE } from './tool.ts'

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
    // The server has raised the alarm.
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

/** The result of a `tools/call` as text: its texts, else its structured content, and a mark for any other content. */
function outcomeOf(result: Readonly<Record<string, unknown>>): Outcome {
  const { content = [], structuredContent, isError } = result
  if (!Array.isArray(content) || !('content' in result || 'structuredContent' in result))
    throw new ToolFailure(UNREADABLE, 'its result has no content')
  const parts = content.map(partOf)
  const lines = parts.map(({ text, mark }) => text ?? mark ?? '')
  const structured = structuredContent !== undefined && !parts.some(({ text }) => text)
  if (structured) lines.unshift(JSON.stringify(structuredContent))
  return { text: lines.join('\n'), failed: isError === true }
}

interface Part {
  readonly text?: string
  /** The placeholder for content that is not text. */
  readonly mark?: string
}

function partOf(block: unknown): Part {
  if (!isObject(block)) return leftOut('content')
  const { type, text, resource } = block
  if (type === 'text' && typeof text === 'string') return { text }
  if (type === 'resource' && isObject(resource))
    return typeof resource.text === 'string' ? { text: resource.text } : leftOut('resource', resource.mimeType)
  if (type === 'image' || type === 'audio') return leftOut(type, block.mimeType)
  return leftOut(type === 'resource_link' ? 'link' : 'content')
}

const leftOut = (what: string, mimeType?: unknown): Part => ({
  mark: `[${typeof mimeType === 'string' && MIME.test(mimeType) ? mimeType : what} left out]`,
})

const MIME = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/
