import { fileURLToPath } from 'node:url'
import { endChild, listening, startChild } from '../child.ts'

/** The tools of the demo that run outside of the gateway, in one process. One that is killed stays dead. */
export interface DemoTools {
  /** The name of the process in messages about its end. */
  readonly name: string
  readonly pid: number
  /** Where all of them are, without a path. */
  readonly origin: string
  /** The variables that the policies of this repository ask for. */
  readonly env: Readonly<Record<string, string>>
  /** Calls the listener if it ends before `close`. */
  onExit(listener: () => void): void
  close(): Promise<void>
}

const SCRIPT = fileURLToPath(new URL('../tools-main.js', import.meta.url))

export interface ToolsOptions {
  /** The folder with a README.md and docs/, which are searched. */
  readonly docs: string
  /** The version that the MCP server says it has. */
  readonly version: string
  /** The compiled tools-main. */
  readonly script?: string
}

/** Starts the tools and waits until they listen. Rejects, leaving none behind, if they do not. */
export async function launchTools({ docs, version, script = SCRIPT }: ToolsOptions): Promise<DemoTools> {
  const child = startChild(script, ['--docs', docs, '--version', version])
  let closing = false
  const close = () => {
    closing = true
    return endChild(child)
  }
  try {
    const { port, pid } = await listening('tool server', child)
    const origin = `http://127.0.0.1:${port}`
    return {
      name: 'tool server',
      pid,
      origin,
      env: { DOCS_MCP: `${origin}/mcp`, UNITS_TOOL: `${origin}/convert` },
      onExit: listener => void child.on('exit', () => closing || listener()),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
