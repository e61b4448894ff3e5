import { type Command, Option } from 'commander'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { recordsCsv } from '../../wire/csv.ts'
import { jsonLine } from '../../wire/printable.ts'

/** Adds `--format` to a command that lists something, and the short form of it. */
export const listsIn = (command: Command, short: Format = 'json'): Command =>
  command
    .addOption(
      new Option('--format <format>', 'a table (default), one JSON object, CSV, or one JSON object per line').choices(
        FORMATS,
      ),
    )
    .option('--json', `the same as --format ${short}`)

/** The formats of lists. */
export const FORMATS = ['text', 'json', 'csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** The options that `listsIn` adds. */
export interface FormatOptions {
  readonly format?: Format
  readonly csv?: boolean
  readonly json?: boolean
}

/** The format of --format, or of --csv and --json, which are short for it: not two that differ. */
export function formatOf({ format, csv, json }: FormatOptions): Format {
  const short = csv ? 'csv' : json ? 'json' : undefined
  if (format !== undefined && short !== undefined && format !== short)
    throw new CommandFailed(`✗ --${short} goes without --format ${format}`, exitCodes.usage)
  return format ?? short ?? 'text'
}

interface List {
  readonly object: 'list'
  readonly data: readonly object[]
}

/** A list as programs read it; undefined where it is for people. CSV and lines are `data` alone, JSON has `more` as well. */
export function forPrograms(options: FormatOptions, list: List, more: object = {}): string | undefined {
  const format = formatOf(options)
  if (format === 'text') return undefined
  if (format === 'json') return jsonLine({ ...list, ...more })
  return format === 'csv' ? recordsCsv(list.data) : list.data.map(jsonLine).join('')
}
