import type { McpToolSettings, ToolSettings } from '../../config/settings.ts'
import type { Alarm, Clock, HostedTools, ToolResult } from '../../gateway/ports.ts'
import { builtinTool } from './builtin-tools.ts'
import { Egress } from './egress.ts'
import { HttpTool } from './http-tool.ts'
import { bounded, clean, untilAborted } from './limits.ts'
import { McpServer, McpTool } from './mcp-server.ts'
import {
  type Complain,
  causeOf,
  complainer,
  type Outcome,
  RecentFailure,
  ReportedFailure,
  readArguments,
  type Tool,
  ToolFailure,
} from './tool.ts'

export interface ToolPorts {
  readonly clock: Clock
  readonly alarm: Alarm
}

/** The hosted tools of one configuration. */
export interface OpenTools {
  readonly tools: HostedTools
  /** Loads the libraries that calls need, and begins to ask servers for the parameters of their tools. Never rejects. */
  load(): Promise<void>
  /** Ends the sessions with their servers. Call it once, after the last tool call. */
  close(): void
}

/** Opens no connection: a server is connected to when the first of its tools is needed. */
export function openTools(settings: ReadonlyMap<string, ToolSettings>, { clock, alarm }: ToolPorts): OpenTools {
  let opened: Egress | undefined
  const egress = () => {
    opened ??= new Egress()
    return opened
  }
  const servers = new Map<string, McpServer>()
  const serverOf = ({ url, key, transport }: McpToolSettings) => {
    const place = JSON.stringify([url, key?.reveal(), transport])
    const server =
      servers.get(place) ?? new McpServer({ url, transport, ...(key && { key }) }, { egress, clock, alarm })
    servers.set(place, server)
    return server
  }
  const toolOf = (name: string, each: ToolSettings): Tool => {
    if (each.kind === 'builtin') return builtinTool(each, clock)
    if (each.kind === 'http') return new HttpTool(each, egress)
    return new McpTool(each, serverOf(each), complainer(alarm, OFFER, { tool: name }))
  }
  const hosted = new Map<string, Hosted>()
  for (const [name, each] of settings) {
    const complain = complainer(alarm, FAILURE, { tool: name })
    hosted.set(name, { tool: toolOf(name, each), bytesMax: each.maxResultBytes, complain })
  }
  return {
    tools: {
      define: async (name, signal) => {
        const tool = hosted.get(name)?.tool
        return tool && untilAborted(signal, tool.define()).catch(() => undefined)
      },
      call: async (name, args, signal) => {
        const each = hosted.get(name)
        return each ? call(each, args, signal) : { text: 'there is no such tool', failed: true, free: true }
      },
    },
    load: async () => {
      const tools = [...hosted.values()].map(({ tool }) => tool)
      await Promise.all(tools.map(tool => tool.load?.()))
      for (const tool of tools) void tool.define()
    },
    close: () => {
      const ended = [...servers.values()].map(server => server.close())
      void Promise.all(ended).then(() => opened?.close())
    },
  }
}

const OFFER = { wrong: 'a hosted tool cannot be offered', right: 'a hosted tool can be offered again' } as const
const FAILURE = { wrong: 'a hosted tool fails', right: 'a hosted tool works again' } as const

interface Hosted {
  readonly tool: Tool
  readonly bytesMax: number
  readonly complain: Complain
}

async function call({ tool, bytesMax, complain }: Hosted, text: string, signal: AbortSignal): Promise<ToolResult> {
  const read = readArguments(text)
  const outcome =
    'problem' in read ? { ...failed(read.problem), unsent: true } : await outcomeOf(tool, read.args, signal)
  const { failed: hasFailed, unsent = false } = outcome
  const fault = isLate(signal) ? LATE : outcome.fault
  // A call that the client gave up says nothing about the tool.
  if (fault !== undefined || (!signal.aborted && !hasFailed)) complain(fault)
  const free = unsent || fault !== undefined
  return { text: bounded(clean(outcome.text), bytesMax), failed: hasFailed, ...(free && { free }) }
}

const isLate = ({ reason }: AbortSignal): boolean => reason instanceof DOMException && reason.name === 'TimeoutError'

const LATE = new ToolFailure('the tool did not answer in time', 'it does not answer within its timeout')

/** Never rejects. */
async function outcomeOf(tool: Tool, args: Parameters<Tool['call']>[0], signal: AbortSignal): Promise<Outcome> {
  if (signal.aborted) return failed(ABORTED)
  try {
    return await untilAborted(signal, tool.call(args, signal))
  } catch (error) {
    if (signal.aborted) return failed(ABORTED)
    if (error instanceof ReportedFailure) return { ...failed(error.message), unsent: error instanceof RecentFailure }
    if (error instanceof ToolFailure) return { ...failed(error.message), fault: error }
    const fault = new ToolFailure('the tool could not be used', causeOf(error))
    return { ...failed(fault.message), fault }
  }
}

const ABORTED = 'the tool was given up before it answered'

const failed = (text: string): Outcome => ({ text, failed: true })
