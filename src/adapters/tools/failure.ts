export const UNREACHABLE = 'the tool could not be reached'
export const UNREADABLE = 'the tool answered something that cannot be read'

/** Why a tool gave no result. */
export class ToolFailure extends Error {
  /** For operators. */
  readonly detail: string

  /** `message` is for a model: it names no host, address, key or place in the code. */
  constructor(message: string, detail = message) {
    super(message)
    this.detail = detail
  }
}

/** A socket broke, or never was. */
export class Unreached extends ToolFailure {
  constructor(detail: string) {
    super(UNREACHABLE, detail)
  }
}

/** One that the operator knows of, or can do nothing about. */
export class ToldFailure extends ToolFailure {}

/** What happened the last time, shortly after which nothing is asked again. */
export class KnownFailure extends ToldFailure {}

/** A failure to reach a tool, from what a socket or a library threw. */
export const unreachable = (error: unknown): ToolFailure =>
  error instanceof ToolFailure ? error : new Unreached(causeOf(error))

/** A refused connection to a name with two addresses has no message of its own. */
export function causeOf(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(String).join('; ')
  return error instanceof Error ? error.message : String(error)
}
