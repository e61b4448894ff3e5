import { openTools } from '../../adapters/tools/hosted-tools.ts'
import { reachTool } from '../../adapters/tools/http-tool.ts'
import type { HttpToolSettings, Loaded, McpToolSettings } from '../../config/settings.ts'
import { hasStandIn } from '../../config/stand-ins.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { keySource } from './report.ts'

interface Files {
  readonly loaded: Loaded
  readonly sources: ReadonlyMap<string, string>
}

/** Whether hosted tools could be offered. MCP servers are asked what their tools take; nothing is called. */
export async function checkTools({ loaded, sources }: Files, clock: Clock, limit: Millis): Promise<readonly Finding[]> {
  const { config, settings } = loaded
  const found = await Promise.all(
    [...settings.tools].map(async ([name, tool]): Promise<Finding[]> => {
      if (tool.kind === 'builtin') return []
      const common = { check: 'tools', subject: name }
      if (hasStandIn(tool.url) || hasStandIn(tool.key?.reveal() ?? ''))
        return [{ ...common, state: 'warning', text: 'not asked: a variable that it needs is not set' }]
      const at = config.tools.get(name)
      const field = at?.fields[tool.kind] ?? at?.at
      const place = field ? `${field.file}:${field.line}` : ''
      const named = { name, place, keyFrom: keySource(at?.fields.key, sources) }
      const result = tool.kind === 'mcp' ? learn(tool, named, clock, limit) : reach(tool, named, limit)
      return [{ ...common, ...(await result) }]
    }),
  )
  return found.flat()
}

interface Named {
  readonly name: string
  readonly place: string
  readonly keyFrom: string | undefined
}

type Found = Pick<Finding, 'state' | 'text' | 'hint'>

/** Asks an MCP server for the tool's parameters, in a separate session. */
async function learn(
  tool: McpToolSettings,
  { name, place, keyFrom }: Named,
  clock: Clock,
  limit: Millis,
): Promise<Found> {
  let cause = ''
  const alarm = (_: string, details?: Readonly<Record<string, unknown>>) => {
    cause ||= String(details?.cause ?? '')
  }
  // The gateway retries in the background; a command does not wait that long.
  const hasty: Clock = {
    now: clock.now,
    elapsed: clock.elapsed,
    after: (time, run) => clock.after(Math.min(time, limit), run),
  }
  const { tools, close } = openTools(new Map([[name, tool]]), { clock: hasty, alarm })
  const { host } = new URL(tool.url)
  const signal = AbortSignal.timeout(limit)
  try {
    const definition = await tools.define(name, signal)
    if (definition) return { state: 'ok', text: `MCP tool ${tool.tool} of ${host}` }
    if (signal.aborted || /within \d/.test(cause))
      return {
        state: 'problem',
        text: `${host} did not list its tools within ${limit / 1000} s`,
        hint: `${WITHOUT}: ${place}`,
      }
    if (/\b40[13]\b/.test(cause)) return { state: 'problem', ...refused(host, cause, keyFrom, place) }
    const hint = `${WITHOUT}. Is the address right, and \`tool: ${tool.tool}\` what the server calls it? ${place}`
    return { state: 'problem', text: `${host}: ${cause || 'its list of tools cannot be read'}`, hint }
  } finally {
    close()
  }
}

/** Asks the address of an HTTP tool, without a call. */
async function reach(tool: HttpToolSettings, { place, keyFrom }: Named, limit: Millis): Promise<Found> {
  const { host } = new URL(tool.url)
  const reached = await reachTool(tool, AbortSignal.timeout(limit))
  if ('cause' in reached) {
    const how =
      reached.cause === 'timeout' ? `does not answer within ${limit / 1000} s` : `does not answer: ${reached.cause}`
    return { state: 'problem', text: `${host} ${how}`, hint: `Its calls fail until it does: ${place}` }
  }
  const { status } = reached
  if (status === 401 || status === 403)
    return { state: 'warning', ...refused(host, `it answers ${status}`, keyFrom, place) }
  if (status >= 500 && status !== 501)
    return {
      state: 'warning',
      text: `${host} answers ${status}`,
      hint: `See its log. The tool is declared in ${place}`,
    }
  return { state: 'ok', text: `HTTP tool of ${host}, which answers; it is not called` }
}

const WITHOUT = 'Requests that list the tool are answered without it'

const refused = (host: string, cause: string, keyFrom: string | undefined, place: string) => ({
  text: `${host}: ${cause}${keyFrom === undefined ? '' : `: is ${keyFrom} right?`}`,
  hint: keyFrom === undefined ? `Give it a key in ${place}: key: \${VARIABLE}` : `It is used in ${place}`,
})
