import { withoutKeys } from '../../gateway/accounts/keys.ts'
import type { LogEntry } from '../../http/log-entry.ts'
import { nameOfRule } from '../../policy/limits/named-rules.ts'
import { ruleName } from '../../policy/limits/rule.ts'
import { usdText } from '../../wire/money.ts'
import { oneLine } from '../../wire/printable.ts'
import { timeOfDay } from './terminal-text.ts'

/** One line per request: `10:02:11  200  svc-auto → svc-core  onprem-core  312 ms  9+41 tok  $0.000017`. */
export function logLine(
  entry: LogEntry,
  { defaultModel }: { readonly defaultModel: { readonly name: string } },
): string {
  const { at, status, asked, method, path, ms, interrupted, skippedEvents } = entry
  const what = asked === undefined ? `${method} ${path}` : modelOf(entry, asked || defaultModel.name)
  const served = `${part(what)}${toolsOf(entry)}${part(poolsOf(entry))}  ${ms} ms${tokensOf(entry)}${costOf(entry)}`
  const skipped = skippedEvents ? `  malformed events skipped: ${skippedEvents}` : ''
  const end = interrupted ? `  interrupted: ${interrupted}` : ''
  return oneLine(withoutKeys(`${timeOfDay(at)}  ${status}${served}${part(reasonOf(entry))}${skipped}${end}`))
}

/** A request in words: its model and the rule that chose it, its tools, and the pools that were tried. */
export function wordsOf(entry: LogEntry, defaultModel: string): Words {
  const { asked, method, path } = entry
  const what = asked === undefined ? `${method} ${path}` : modelOf(entry, asked || defaultModel)
  const clean = (text: string) => oneLine(withoutKeys(text))
  return { what: clean(what), tools: clean(toolsOf(entry).trim()), pools: clean(poolsOf(entry)) }
}

/** Each is empty where there is nothing to say. */
interface Words {
  readonly what: string
  readonly tools: string
  readonly pools: string
}

/** A fault for the operator, on one line unless it has a stack. */
export const alarmLine = (message: string, details: Readonly<Record<string, unknown>> = {}): string =>
  `▲ ${message} ${Object.entries(details)
    .map(
      ([name, value]) =>
        `${name}=${name === 'stack' ? String(value).split('\n').map(oneLine).join('\n') : oneLine(String(value))}`,
    )
    .join(' ')}`

/** An optional further part of a line. */
const part = (text: string): string => (text === '' ? '' : `  ${text}`)

function modelOf({ model, rule }: LogEntry, asked: string): string {
  const chosen = model === undefined || model === asked ? asked : `${asked} → ${model}`
  return rule === undefined ? chosen : `${chosen} (${rule})`
}

function toolsOf({ tools }: LogEntry): string {
  let text = ''
  for (const tool in tools) text += part(tools[tool] === 1 ? tool : `${tool} ×${tools[tool]}`)
  return text
}

/** In the order in which they were tried. */
function poolsOf({ failures, pool = '' }: LogEntry): string {
  if (!failures || failures.length === 0) return pool
  const failed = failures.map(each => `${each.pool} ✗ ${each.cause}`).join(' → ')
  return pool === '' ? failed : `${failed} → ${pool}`
}

/** The reason of a refusal; empty where nothing refused. */
export function reasonOf({ code = '', type = '', limit }: LogEntry): string {
  const reason = code === '' || type === '' ? code || type : `${code} ${type}`
  // The type says it all of a limit that has a name.
  return limit && nameOfRule(limit) === undefined ? `${reason} (${ruleName(limit)})` : reason
}

function tokensOf(entry: LogEntry): string {
  const { inputTokens, outputTokens, estimated } = entry
  if (inputTokens === undefined) return ''
  return `  ${estimated ? '~' : ''}${inputTokens}+${outputTokens} tok${part(cachedOf(entry))}`
}

/** The cached part of the input. */
export const cachedOf = ({ cachedTokens = 0 }: LogEntry): string => (cachedTokens > 0 ? `${cachedTokens} cached` : '')

const costOf = ({ cost }: LogEntry): string => (cost === undefined ? '' : `  $${usdText(cost)}`)
