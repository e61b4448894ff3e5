import { unitOf } from '../check/units.ts'
import type { HostedToolSection } from '../file.ts'
import type { Declarations } from '../read/merge.ts'
import type { Secret, ToolSettings } from '../settings.ts'
import { DEFAULTS } from './defaults.ts'

/** How each hosted tool is run, by its name. */
export function toolsOf(
  tools: Declarations<HostedToolSection>,
  keys: ReadonlyMap<string, Secret>,
): ReadonlyMap<string, ToolSettings> {
  const settings = new Map<string, ToolSettings>()
  for (const { name, data } of tools.values()) if (data) settings.set(name, toolOf(name, data, keys.get(name)))
  return settings
}

/** URLs stay as they were written: with another path, or a slash more or less, a tool may be another one. */
function toolOf(name: string, tool: HostedToolSection, key: Secret | undefined): ToolSettings {
  const bounds = {
    timeout: unitOf('duration', tool.timeout ?? DEFAULTS.toolTimeout),
    maxResultBytes: unitOf('size', tool.max_result ?? DEFAULTS.maxResult),
  }
  if ('builtin' in tool) return { kind: 'builtin', builtin: tool.builtin, ...bounds }
  if ('http' in tool) {
    const { http: url, description, parameters } = tool
    return { kind: 'http', url, ...(key && { key }), description, parameters, ...bounds }
  }
  return {
    kind: 'mcp',
    url: tool.mcp,
    transport: tool.transport ?? DEFAULTS.transport,
    ...(key && { key }),
    tool: tool.tool ?? name,
    ...(tool.description !== undefined && { description: tool.description }),
    ...bounds,
  }
}
