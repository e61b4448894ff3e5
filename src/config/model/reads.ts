import type { Problem } from '../problem.ts'
import type { Span } from './tree.ts'

/** A reference in a file of a configuration: `NAME`, a variable of the environment, or `file:PATH`. Never its value. */
export interface Read {
  readonly source: string
  /** The field that keeps it secret, such as `key`; undefined where its value may be shown, in an error or to clients. */
  readonly secretOf: string | undefined
  readonly span: Span
}

/** Whether a configuration may have it. */
export type MayRead = (read: Read) => boolean

/**
 * The references that a candidate from the network may have: those of the configuration that serves, and in no place
 * where more people see it. Beside that, as a secret, what `server.variables` lists on the gateway's own disk.
 */
export function mayReadLike(serving: readonly Read[], variables: readonly string[]): MayRead {
  const known = new Set(serving.map(read => placeOf(read.source, read.secretOf)))
  return ({ source, secretOf }) =>
    known.has(placeOf(source, secretOf)) ||
    known.has(placeOf(source, undefined)) ||
    (secretOf !== undefined && variables.includes(source))
}

/** A former secret was the secret. */
const placeOf = (source: string, secretOf: string | undefined): string =>
  JSON.stringify([source, secretOf?.replace(/^former_/, '') ?? null])

/** The Problem of a read that is not allowed. It shows neither the value nor whether there is one. */
export function forbidden({ source, secretOf, span }: Read): Problem {
  const isFile = source.startsWith('file:')
  const message = isFile
    ? `files that are applied may not read \`${source}\``
    : `files that are applied may not read the variable ${source}${secretOf === undefined ? ' here' : ''}`
  return { ...span, rule: 'forbidden-read', severity: 'error', message, hint: hintFor(isFile, secretOf) }
}

function hintFor(isFile: boolean, secretOf: string | undefined): string {
  if (isFile) return 'name it in the files on the disk of the gateway, and run svcctl reload there'
  if (secretOf !== undefined)
    return 'list it in `server.variables` on the disk of the gateway, and run svcctl reload there'
  return "this value may be shown: write it out, or use the variable in the files on the gateway's disk"
}
