import { type Command, Option } from 'commander'
import { CommandFailed, exitCodes } from '../server/failure.ts'

/** Adds `--format` to a command that lists something, and the short forms of it. */
export const listsIn = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <format>', 'a table (default), one JSON object, CSV, or a JSON object a line').choices(
        FORMATS,
      ),
    )
    .addOption(new Option('--csv', 'the same as --format csv').conflicts('json'))
    .option('--json', 'the same as --format json')

/** What lists are written in. */
export const FORMATS = ['text', 'json', 'csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** What `listsIn` adds. */
export interface FormatOptions {
  readonly format?: Format
  readonly csv?: boolean
  readonly json?: boolean
}

/** What --csv and --json are short for, or what --format says: not two that differ. */
export function formatOf({ format, csv, json }: FormatOptions, otherwise: Format = 'text'): Format {
  const short = csv ? 'csv' : json ? 'json' : undefined
  if (format !== undefined && short !== undefined && format !== short)
    throw new CommandFailed(`✗ --${short} goes without --format ${format}`, exitCodes.usage)
  return format ?? short ?? otherwise
}
