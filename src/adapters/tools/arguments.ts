import { isObject } from '../../wire/json.ts'
import type { Arguments } from './tool.ts'

const BYTES_MAX = 64 * 1024
const DEPTH_MAX = 64

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
