import type { ToolDefinition } from '../../gateway/ports.ts'
import type { ToolFailure } from './failure.ts'

/** The arguments of a call: a JSON object. */
export type Arguments = Readonly<Record<string, unknown>>

/** One tool, of whatever kind. */
export interface Tool {
  /** Undefined when it cannot be learnt now, of which the operator was told. Never rejects. */
  define(): Promise<ToolDefinition | undefined>
  /** Loads what its calls need, so that none of them waits for it. Never rejects. */
  load?(): Promise<unknown>
  /** Rejects with ToolFailure where it gave no result, and with whatever once the signal is aborted. */
  call(args: Arguments, signal: AbortSignal): Promise<Outcome>
}

/** What a tool said, before anything of it is left out. */
export interface Outcome {
  readonly text: string
  readonly failed: boolean
  /** Nothing was asked of it. */
  readonly unsent?: boolean
  /** What the operator is told of it: the tool fails whatever it is asked. */
  readonly fault?: ToolFailure
}
