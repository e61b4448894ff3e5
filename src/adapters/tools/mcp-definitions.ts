import type { ToolDefinition } from '../../gateway/ports.ts'
import { isObject } from '../../wire/json-safety.ts'
import { ToolFailure, UNREADABLE } from './failure.ts'
import { bounded, clean } from './limits.ts'
import type { McpSession } from './mcp-session.ts'
import { deeperThan } from './tool.ts'

/** The definition of a tool as its server lists it, or why it cannot be given to a model. */
export type Listed = { readonly definition: ToolDefinition } | { readonly problem: string }

/** The wanted tools that the server lists on its first 20 pages. Rejects as `request` does. */
export async function listTools(
  session: McpSession,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Listed>> {
  const found = new Map<string, Listed>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const { tools, nextCursor } = await session.request('tools/list', cursor === undefined ? {} : { cursor }, signal)
    if (!Array.isArray(tools)) throw new ToolFailure(UNREADABLE, 'its list of tools is none')
    for (const tool of tools.filter(isObject)) {
      const { name } = tool
      if (typeof name === 'string' && wanted.has(name) && !found.has(name)) found.set(name, listed(tool))
    }
    if (typeof nextCursor !== 'string' || found.size === wanted.size) break
    cursor = nextCursor
  }
  return found
}

function listed({ description, inputSchema }: Readonly<Record<string, unknown>>): Listed {
  if (!isObject(inputSchema) || inputSchema.type !== 'object')
    return { problem: 'its input schema is not that of an object' }
  if (deeperThan(inputSchema, SCHEMA_DEPTH_MAX))
    return { problem: `its input schema is nested deeper than ${SCHEMA_DEPTH_MAX} levels` }
  if (Buffer.byteLength(JSON.stringify(inputSchema)) > SCHEMA_BYTES_MAX)
    return { problem: 'its input schema is longer than 64 KiB' }
  const text = typeof description === 'string' ? bounded(clean(description), DESCRIPTION_BYTES_MAX) : ''
  return { definition: { description: text, parameters: inputSchema } }
}

const PAGES_MAX = 20
const DESCRIPTION_BYTES_MAX = 8 * 1024
const SCHEMA_BYTES_MAX = 64 * 1024
const SCHEMA_DEPTH_MAX = 64
