import { openTools } from '../../../src/adapters/tools/hosted-tools.ts'
import type {
  BuiltinToolSettings,
  HttpToolSettings,
  McpToolSettings,
  ToolSettings,
} from '../../../src/config/settings.ts'
import type { ToolDefinition, ToolResult } from '../../../src/gateway/ports.ts'
import { VirtualClock } from '../../support/clock.ts'

const BOUNDS = { timeout: 30_000, maxResultBytes: 16_384 }

/** Settings of one server; the tool is `echo` by default. */
export const mcp = (
  { url }: { readonly url: string },
  more: Partial<Pick<McpToolSettings, 'tool' | 'key' | 'transport' | 'description' | 'maxResultBytes'>> = {},
): McpToolSettings => ({ ...BOUNDS, kind: 'mcp', url, transport: 'streamable_http', tool: 'echo', ...more })

export const http = (
  { url }: { readonly url: string },
  more: Partial<Pick<HttpToolSettings, 'parameters' | 'key' | 'maxResultBytes'>> = {},
): HttpToolSettings => ({
  ...BOUNDS,
  kind: 'http',
  url,
  description: 'Does it.',
  parameters: { type: 'object' },
  ...more,
})

export const builtin = (name: BuiltinToolSettings['builtin'], maxResultBytes = 16_384): BuiltinToolSettings => ({
  ...BOUNDS,
  kind: 'builtin',
  builtin: name,
  maxResultBytes,
})

/** Something that a test must close. */
interface Closes {
  close(): unknown
}

/** The hosted tools of one configuration, asked by a test. */
export class Tools {
  readonly clock = new VirtualClock(Date.parse('2026-11-21T13:03:20Z'))
  readonly alarms: { readonly message: string; readonly [detail: string]: unknown }[] = []
  readonly #open: ReturnType<typeof openTools>

  constructor(settings: Readonly<Record<string, ToolSettings>>) {
    this.#open = openTools(new Map(Object.entries(settings)), {
      clock: this.clock,
      alarm: (message, details) => this.alarms.push({ message, ...details }),
    })
  }

  /** Arguments that are no text are sent as JSON. */
  call(name: string, args: unknown = {}, signal = new AbortController().signal): Promise<ToolResult> {
    return this.#open.tools.call(name, typeof args === 'string' ? args : JSON.stringify(args), signal)
  }

  define(name: string, signal = new AbortController().signal): Promise<ToolDefinition | undefined> {
    return this.#open.tools.define(name, signal)
  }

  close(): void {
    this.#open.close()
  }
}

/** Things that a test started, which `closeAll` closes after it. */
const started: Closes[] = []

export function closing<T extends Closes>(thing: T): T {
  started.push(thing)
  return thing
}

export async function closeAll(): Promise<void> {
  // The last first: tools end their sessions while their servers are there.
  for (const thing of started.splice(0).reverse()) await thing.close()
}
