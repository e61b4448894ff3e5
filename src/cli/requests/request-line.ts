import type { ShownRequest } from '../../http/admin/event-records.ts'
import type { LogEntry } from '../../http/listener/server.ts'
import { logLine, reasonOf, wordsOf } from '../../server/log/log-line.ts'
import { timeOfDay } from '../../server/log/time-of-day.ts'
import { usdText } from '../../wire/money.ts'
import { oneLine } from '../../wire/printable.ts'
import { clip, widthOf } from '../width.ts'

/** A request as the gateway's log has it, and whose it was: however long that is. */
export function requestLine(request: ShownRequest): string {
  const { asked } = request
  const who = labelOf(request)
  return `${logLine(entryOf(request), { defaultModel: { name: asked ?? '' } })}${who && `  ${who}`}`
}

/**
 * The same in the columns of a terminal: its numbers below those of other requests and never cut, then whose it was,
 * what refused it, and what it was for. `status` is where that begins.
 */
export function requestRow(request: ShownRequest, width: number): { readonly text: string; readonly status: number } {
  const entry = entryOf(request)
  const { at, ms, inputTokens, outputTokens, estimated, cost, interrupted } = entry
  const time = timeOfDay(at)
  const tokens = inputTokens === undefined ? '' : `${estimated ? '~' : ''}${inputTokens}+${outputTokens} tok`
  const numbers = [
    time,
    String(entry.status).padStart(3),
    `${ms} ms`.padStart(8),
    tokens.padStart(11),
    (cost === undefined ? '' : `$${usdText(cost)}`).padStart(9),
  ].join('  ')
  const reason = interrupted === undefined ? reasonOf(entry) : `interrupted: ${interrupted}`
  const words = [oneLine(reason), ...wordsOf(entry, request.asked ?? '')].filter(Boolean).join('  ')
  const who = labelOf(request)
  const room = width - widthOf(numbers) - GAP
  // As much of the label as leaves half of the room to what follows.
  const label = clip(who, Math.min(widthOf(who), Math.max(LABEL_LEAST, Math.floor(room / 2))))
  const all = [label, words].filter(Boolean).join('  ')
  const text = clip(all, Math.min(widthOf(all), Math.max(0, room))).trimEnd()
  return { text: `${numbers}  ${text}`.trimEnd(), status: time.length + GAP }
}

const GAP = 2
const LABEL_LEAST = 8

const labelOf = ({ standing, account }: ShownRequest): string => oneLine(standing?.label ?? account ?? '')

function entryOf(request: ShownRequest): LogEntry {
  const { at, request_id, input_tokens, output_tokens, cost_nano_usd, account: _account, asked, ...same } = request
  return {
    ...same,
    at: Date.parse(at),
    requestId: request_id,
    ...(asked !== undefined && { asked }),
    ...(input_tokens !== undefined && { inputTokens: input_tokens }),
    ...(output_tokens !== undefined && { outputTokens: output_tokens }),
    ...(cost_nano_usd !== undefined && { cost: cost_nano_usd }),
  }
}

/** Whether it was refused, failed or broke off. */
export const isError = ({ status, interrupted }: ShownRequest): boolean => status >= 400 || interrupted !== undefined

/** `failed` where the gateway or a backend did, `refused` where the request was; none of them where it went well. */
export type Tone = 'failed' | 'refused'

/** The tone of a request; undefined where it went well. */
export function toneOf({ status, interrupted }: ShownRequest): Tone | undefined {
  if (status >= 500 || interrupted !== undefined) return 'failed'
  return status >= 400 ? 'refused' : undefined
}
