import { type HostedTool, placeOf } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { durationText } from '../model/units.ts'
import type { BuiltinToolSettings, HttpToolSettings, McpToolSettings, ToolSettings } from '../settings.ts'
import {
  type Change,
  compare,
  compareNamed,
  highIsMore,
  lowIsMore,
  type Own,
  other,
  plumbing,
  type Rules,
  type Side,
  type Sides,
  same,
  value,
} from './changes.ts'
import { goneOf, newOf } from './models.ts'
import { whoHas } from './plans.ts'
import { count, keyRule, size, text, usd } from './values.ts'

/** The changes of hosted tools. */
export function compareTools(sides: Sides): readonly Change[] {
  const { before, after } = sides
  const [was, is] = [before.loaded.config, after.loaded.config]
  const subject = (name: string) => `tool ${name}`
  return compareNamed(was.tools, is.tools, after.loaded, {
    subject,
    gone: ({ name }) => goneOf('tool', 'hosted_tools', name, whoHas(was, 'tools', name)),
    added: ({ name }) => newOf('tool', 'hosted_tools', name, whoHas(is, 'tools', name)),
    stayed: (tool, next) => [
      ...compare<Own<HostedTool>>(TOOL, subject(next.name), [tool, next], field => placeOf(next, field)),
      ...compareRunning(next, runOf(tool, before), runOf(next, after), sides),
    ],
  })
}

function runOf({ name }: HostedTool, { loaded }: Side): ToolSettings {
  const settings = loaded.settings.tools.get(name)
  if (!settings) throw new Error(`tool ${name} has no settings`)
  return settings
}

const TOOL: Rules<Own<HostedTool>> = {
  maxCalls: value('max_calls', count, highIsMore),
  price: value<NanoUsd>('usd_per_call', usd, lowIsMore),
}

type Bounds = Pick<ToolSettings, 'timeout' | 'maxResultBytes'>

const BOUNDS: Rules<Bounds> = {
  timeout: value('timeout', durationText, plumbing),
  maxResultBytes: value('max_result', size, plumbing),
}

/** How a tool is run. */
function compareRunning(tool: HostedTool, before: ToolSettings, after: ToolSettings, sides: Sides): readonly Change[] {
  const subject = `tool ${tool.name}`
  const at = (field: string) => placeOf(tool, field)
  if (before.kind === 'mcp' && after.kind === 'mcp') return compare(mcp(sides), subject, [before, after], at)
  if (before.kind === 'http' && after.kind === 'http') return compare(http(sides), subject, [before, after], at)
  if (before.kind === 'builtin' && after.kind === 'builtin') return compare(BUILTIN, subject, [before, after], at)
  const [field, from] = [after.kind, before.kind]
  const said = `${subject} is now of kind ${field}, no longer ${from}`
  const kind: Change = { subject, field, from, to: field, text: said, effect: 'other', at: at(field) }
  return [kind, ...compare<Bounds>(BOUNDS, subject, [before, after], at)]
}

const mcp = (sides: Sides): Rules<McpToolSettings> => ({
  ...BOUNDS,
  kind: same(),
  url: value('mcp', text, plumbing),
  transport: value('transport', text, plumbing),
  key: keyRule(sides),
  tool: value('tool', text, plumbing),
  description: value<string | undefined>('description', quoted, other, "the server's"),
})

const http = (sides: Sides): Rules<HttpToolSettings> => ({
  ...BOUNDS,
  kind: same(),
  url: value('http', text, plumbing),
  key: keyRule(sides),
  description: value('description', quoted, other),
  parameters: parametersRule,
})

const BUILTIN: Rules<BuiltinToolSettings> = {
  ...BOUNDS,
  kind: same(),
  builtin: value('builtin', text, other),
}

const quoted = (said: string): string => JSON.stringify(said)

type Parameters = HttpToolSettings['parameters']

/** Parameters are too long to be shown; the order of maps in them means nothing. */
function parametersRule(from: Parameters, to: Parameters, subject: string) {
  if (canonical(from) === canonical(to)) return []
  const said = `${subject} takes other parameters`
  return [{ field: 'parameters', from: null, to: null, text: said, effect: 'other' } as const]
}

/** JSON with the keys of every map in order. */
const canonical = (data: unknown): string =>
  JSON.stringify(data, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
