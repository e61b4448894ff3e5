import type { ToolDefinition } from '../../gateway/ports.ts'
import { isObject } from '../../wire/json-safety.ts'
import type { ToolFailure } from './failure.ts'

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

/** The arguments of a call as a model wrote them, or what is wrong with them. An empty text stands for no arguments. */
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

/** Whether objects and arrays are nested deeper than so many levels. */
export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(each => deeperThan(each, levels - 1))
}

const BYTES_MAX = 64 * 1024
const DEPTH_MAX = 64
