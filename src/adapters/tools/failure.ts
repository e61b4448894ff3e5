import type { Alarm } from '../../gateway/ports.ts'

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

/** The failure that an error of a socket or a library stands for. */
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
  { wrong, right }: { readonly wrong: string; readonly right: string },
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
