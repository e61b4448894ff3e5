import type { AlarmMessage } from '../../gateway/alarm-messages.ts'
import type { Alarm, ToolDefinition } from '../../gateway/ports.ts'
import { isObject } from '../../wire/json-safety.ts'

/** The arguments of a call: a JSON object. */
export type Arguments = Readonly<Record<string, unknown>>

/** One hosted tool: HTTP, MCP or built in. */
export interface Tool {
  /** The definition that a model gets; undefined when it cannot be learnt now, for which there was an alarm. Never rejects. */
  define(): Promise<ToolDefinition | undefined>
  /** Loads the libraries that calls need, so that none of them waits. Never rejects. */
  load?(): Promise<unknown>
  /** Rejects with ToolFailure where the tool gave no result; once the signal is aborted with any error. */
  call(args: Arguments, signal: AbortSignal): Promise<Outcome>
}

/** The result of a call, at full length. */
export interface Outcome {
  readonly text: string
  readonly failed: boolean
  /** The tool was not called. */
  readonly unsent?: boolean
  /** The cause for the operator, where the tool would fail with any arguments. */
  readonly fault?: ToolFailure
}

/** The arguments of a call as a model wrote them, or their fault. An empty text means no arguments. */
export function readArguments(text: string): { readonly args: Arguments } | { readonly problem: string } {
  if (text.trim() === '') return { args: {} }
  if (Buffer.byteLength(text) > BYTES_MAX) return { problem: 'the arguments are longer than 64 KiB' }
  let args: unknown
  try {
    args = JSON.parse(text)
  } catch (error) {
    return { problem: `the arguments are not JSON: ${error instanceof SyntaxError ? error.message : String(error)}` }
  }
  if (!isObject(args)) return { problem: 'the arguments are not a JSON object' }
  if (deeperThan(args, DEPTH_MAX)) return { problem: `the arguments are nested deeper than ${DEPTH_MAX} levels` }
  return { args }
}

/** True if objects and arrays are nested deeper than this. */
export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(each => deeperThan(each, levels - 1))
}

const BYTES_MAX = 64 * 1024
const DEPTH_MAX = 64

/** Why a tool gave no result. */
export class ToolFailure extends Error {
  /** The cause, for operators. */
  readonly detail: string

  /** `message` is for a model: it names no host, address, key or place in the code. */
  constructor(message: string, detail = message) {
    super(message)
    this.detail = detail
  }
}

/** A connection broke, or could not be made. */
export class Unreached extends ToolFailure {
  constructor(detail: string) {
    super(UNREACHABLE, detail)
  }
}

/** A failure that raises no alarm: it was reported before, or an operator can do nothing about it. */
export class ReportedFailure extends ToolFailure {}

/** The failure of a moment ago, after which the server is left alone for some seconds. */
export class RecentFailure extends ReportedFailure {}

/** The failure for an error of a socket or a library. */
export const unreachable = (error: unknown): ToolFailure =>
  error instanceof ToolFailure ? error : new Unreached(causeOf(error))

/** The message of an error. A refused connection to a name with two addresses has one message for each address. */
export function causeOf(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(String).join('; ')
  return error instanceof Error ? error.message : String(error)
}

export const UNREACHABLE = 'the tool could not be reached'
export const UNREADABLE = 'the tool answered something that cannot be read'

/** Raises one alarm for as long as the same failure lasts, and one, with undefined, when it is over. */
export type Complain = (failure: ToolFailure | undefined) => void

export function complainer(
  alarm: Alarm,
  { wrong, right }: { readonly wrong: AlarmMessage; readonly right: AlarmMessage },
  details: Readonly<Record<string, unknown>>,
): Complain {
  let reported: string | undefined
  return failure => {
    // Messages are compared, not details: one outage breaks sockets in many ways.
    if (failure?.message === reported) return
    reported = failure?.message
    if (failure) alarm(wrong, { ...details, cause: failure.detail })
    else alarm(right, details)
  }
}
