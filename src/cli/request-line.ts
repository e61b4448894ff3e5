import type { ShownRequest } from '../http/event-records.ts'
import { logLine } from './log-line.ts'
import { oneLine } from './one-line.ts'

/** A request as the gateway's log has it, and whose it was. */
export function requestLine(request: ShownRequest): string {
  const { at, request_id, input_tokens, output_tokens, cost_nano_usd, skipped_events, account, asked, ...same } =
    request
  const entry = {
    ...same,
    at: Date.parse(at),
    requestId: request_id,
    ...(asked !== undefined && { asked }),
    ...(input_tokens !== undefined && { inputTokens: input_tokens }),
    ...(output_tokens !== undefined && { outputTokens: output_tokens }),
    ...(cost_nano_usd !== undefined && { cost: cost_nano_usd }),
    ...(skipped_events !== undefined && { skippedEvents: skipped_events }),
  }
  const who = request.standing?.label ?? account ?? ''
  return `${logLine(entry, { defaultModel: { name: asked ?? '' } })}${who && `  ${oneLine(who)}`}`
}

/** Whether it was refused, failed or broke off. */
export const isError = ({ status, interrupted }: ShownRequest): boolean => status >= 400 || interrupted !== undefined
