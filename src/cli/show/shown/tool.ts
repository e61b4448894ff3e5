import { durationText } from '../../../config/check/units.ts'
import type { ToolSettings } from '../../../config/settings.ts'
import type { HostedTool } from '../../../policy/config.ts'
import type { Section } from './config.ts'
import { COVERED, shownSize, shownUsd } from './units.ts'

/** A hosted tool, and how it is run. */
export const shownTool = ({ maxCalls, price }: HostedTool, settings: ToolSettings | undefined): Section => ({
  ...(settings && kindOf(settings)),
  ...(settings && { timeout: durationText(settings.timeout) }),
  max_calls: maxCalls,
  ...(settings && { max_result: shownSize(settings.maxResultBytes) }),
  usd_per_call: shownUsd(price),
})

function kindOf(settings: ToolSettings): Section {
  if (settings.kind === 'builtin') return { builtin: settings.builtin }
  const key = settings.key && { key: COVERED }
  if (settings.kind === 'http') {
    const { url, description, parameters } = settings
    return { http: url, description, parameters, ...key }
  }
  const { url, tool, transport, description } = settings
  return { mcp: url, tool, transport, ...(description !== undefined && { description }), ...key }
}
