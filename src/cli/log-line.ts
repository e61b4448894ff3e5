import { withoutKeys } from '../gateway/keys.ts'
import type { LogEntry } from '../http/server.ts'
import { usdText } from '../wire/money.ts'
import { oneLine } from './one-line.ts'

/** One line per request: `10:02:11  200  svc-auto → svc-core  onprem-core  312 ms  9+41 tok  $0.000017`. */
export function logLine(
  entry: LogEntry,
  { defaultModel }: { readonly defaultModel: { readonly name: string } },
): string {
  const parts = [new Date(entry.at).toISOString().slice(11, 19), String(entry.status)]
  if (entry.asked === undefined) parts.push(`${entry.method} ${entry.path}`)
  else {
    const asked = entry.asked || defaultModel.name
    const model = entry.model === undefined || entry.model === asked ? asked : `${asked} → ${entry.model}`
    parts.push(entry.rule === undefined ? model : `${model} (${entry.rule})`)
  }
  parts.push(...toolsOf(entry))
  const pools = [...(entry.failures ?? []).map(({ pool, cause }) => `${pool} ✗ ${cause} →`), entry.pool ?? '']
  parts.push(pools.join(' ').replace(/ →\s*$/, ''), `${entry.ms} ms`, tokensOf(entry), costOf(entry))
  parts.push(
    [entry.code, entry.type].filter(Boolean).join(' '),
    entry.skippedEvents ? `${entry.skippedEvents} broken events` : '',
    entry.interrupted ? `interrupted: ${entry.interrupted}` : '',
  )
  return oneLine(withoutKeys(parts.filter(part => part !== '').join('  ')))
}

/** A fault for the operator, on one line unless it has a stack. */
export const alarmLine = (message: string, details: Readonly<Record<string, unknown>> = {}): string =>
  `▲ ${message} ${Object.entries(details)
    .map(
      ([name, value]) =>
        `${name}=${name === 'stack' ? String(value).split('\n').map(oneLine).join('\n') : oneLine(String(value))}`,
    )
    .join(' ')}`

const toolsOf = ({ tools = {} }: LogEntry): string[] =>
  Object.entries(tools).map(([tool, calls]) => (calls === 1 ? tool : `${tool} ×${calls}`))

function tokensOf({ inputTokens, outputTokens, estimated }: LogEntry): string {
  return inputTokens === undefined ? '' : `${estimated ? '~' : ''}${inputTokens}+${outputTokens} tok`
}

const costOf = ({ cost }: LogEntry): string => (cost === undefined ? '' : `$${usdText(cost)}`)
