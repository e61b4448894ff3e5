import type { ToolDefinition } from '../../gateway/ports.ts'
import { isObject } from '../../wire/json.ts'
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

/** The arguments of a call as a model wrote them, or what is wrong with them; no text at all is no arguments. */
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

/** Whether objects and arrays are nested in each other more than so many times. */
export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(each => deeperThan(each, levels - 1))
}

const BYTES_MAX = 64 * 1024
const DEPTH_MAX = 64
