import { isRefusal } from '../../config/model/scalar.ts'
import { suggestion } from '../../config/model/suggest.ts'
import { readUnit, type Unit } from '../../config/model/units.ts'
import { readBounded } from '../../server/bounded-file.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { isPath, PATHS, type Path } from '../../simulate/endpoints.ts'

// Readers of single options of `svcctl explain`. Each fails with wrong usage where a value makes no sense.

export const wrong = (message: string): CommandFailed => new CommandFailed(`✗ ${message}`, exitCodes.usage)

const MOST: Readonly<Record<'count' | 'usd', number>> = { count: 1e9, usd: 9e12 }

export function unitIn(name: string, kind: 'count' | 'usd', text: string, least: number): number {
  const unit: Unit = { kind, min: least, max: MOST[kind] }
  const value = readUnit(unit, text)
  if (isRefusal(value)) throw wrong(`${name}: \`${text}\` ${value.says}; ${value.hint}`)
  return value
}

export const countIn = (name: string, text: string, least = 0): number => unitIn(name, 'count', text, least)

export function pathIn(path: string = PATHS[0]): Path {
  if (!isPath(path)) throw wrong(`--path: no model answers at \`${path}\`: ${suggestion(path, PATHS)}`)
  return path
}

/** `--path` says where a `--body` is sent. */
export function refuseLonePath({ path, body }: { readonly path?: string; readonly body?: string }): void {
  if (path !== undefined && body === undefined)
    throw wrong('--path says where a --body is sent: --chat, --input and --prompt say so themselves')
}

/** As large as any request that a gateway may be told to take. */
const MOST_BODY_BYTES = 64_000_000

export function textIn(option: string, file: string): string {
  try {
    return readBounded(file === '-' ? 0 : file, MOST_BODY_BYTES)
  } catch (error) {
    throw wrong(`${option}: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The text unchanged: the gateway's own parser rejects malformed JSON. */
export const bodyIn = (file: string): string => textIn('--body', file)

export const headersIn = (written: readonly string[]): Record<string, string> =>
  Object.fromEntries(written.map(headerIn))

function headerIn(text: string): readonly [string, string] {
  const { name, value = '' } = /^(?<name>[\w-]+):\s*(?<value>.*)$/.exec(text)?.groups ?? {}
  if (name === undefined) throw wrong(`--header: \`${text}\` is not a header; write 'name: value'`)
  return [name, value.trim()]
}
