import type { ToolSettings } from '../../config/settings.ts'
import type { HostedTool, Millis } from '../../policy/config.ts'
import { callsOf } from '../../policy/tools.ts'
import type { CallResult, HostedCall } from '../../wire/tools/turn.ts'
import type { Alarm, Clock, HostedTools, ToolResult } from '../ports.ts'
import { withTimeout } from '../timers.ts'

export interface RunPorts {
  readonly tools: HostedTools
  readonly clock: Clock
  readonly alarm: Alarm
  readonly settings: { readonly tools: ReadonlyMap<string, ToolSettings> }
}

/** The bounds of a round of calls. */
export interface RunTerms {
  /** Those that may be called, by name. */
  readonly offered: ReadonlyMap<string, HostedTool>
  /** Calls of this answer so far, by name of the tool: counted here as each is made. */
  readonly made: Record<string, number>
  /** Those of them that cost their price: while one is running, and once the tool has answered it. */
  readonly paid: Record<string, number>
  /** The time left for tools of this answer. */
  readonly time: Millis
  /** Aborted when the results are not needed any more. */
  readonly signal: AbortSignal
}

/** Runs the calls of one turn at once. Every call has a result, if only why it was not made. */
export const runCalls = (ports: RunPorts, calls: readonly HostedCall[], terms: RunTerms): Promise<CallResult[]> =>
  Promise.all(calls.map(call => runCall(ports, call, terms)))

async function runCall(ports: RunPorts, call: HostedCall, terms: RunTerms): Promise<CallResult> {
  const tool = terms.offered.get(call.tool)
  const made = callsOf(terms.made, call.tool)
  const failed = (why: string) => ({ call, text: `The call was not made: ${call.seenAs} ${why}.`, failed: true })
  if (!tool) return failed('cannot be called again in this answer')
  if (made >= tool.maxCalls) return failed(`may be called ${tool.maxCalls} times in one answer`)
  terms.made[call.tool] = made + 1
  terms.paid[call.tool] = callsOf(terms.paid, call.tool) + 1
  const { text, failed: hasFailed, free = false } = await calledWithin(ports, call, terms)
  // A client that leaves pays for the calls that were made for it.
  if (free && !terms.signal.aborted) terms.paid[call.tool] = callsOf(terms.paid, call.tool) - 1
  return { call, text, failed: hasFailed }
}

async function calledWithin(ports: RunPorts, call: HostedCall, { time: left, signal }: RunTerms): Promise<ToolResult> {
  const { clock, settings } = ports
  const time = Math.min(left, settings.tools.get(call.tool)?.timeout ?? 0)
  const onCalledOff = (run: () => void) => {
    signal.addEventListener('abort', run, { once: true })
    return () => signal.removeEventListener('abort', run)
  }
  const result = await withTimeout({ clock, time, onCalledOff }, aborting => resultOf(ports, call, aborting))
  return result ?? { text: `The tool did not answer within ${time / 1000} s.`, failed: true, free: true }
}

/** No tool may break an answer, whatever it does. */
async function resultOf({ tools, alarm }: RunPorts, call: HostedCall, signal: AbortSignal): Promise<ToolResult> {
  try {
    return await tools.call(call.tool, call.arguments, signal)
  } catch (error) {
    alarm('a hosted tool failed because of a fault of the gateway', { tool: call.tool, error: String(error) })
    return { text: 'The tool failed.', failed: true, free: true }
  }
}
