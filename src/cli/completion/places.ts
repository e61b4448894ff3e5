import type { Argument, Command, Option } from 'commander'

/** A command, and what may follow it on a command line. */
export interface Place {
  /** The words that lead here: `svcctl pools drain`. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly Flag[]
  /** Values that an argument may have. */
  readonly choices: readonly string[]
  /** Whether an argument is a file. */
  readonly takesFile: boolean
}

export interface Flag {
  /** `--config` */
  readonly long: string
  /** `-c` */
  readonly short: string | undefined
  readonly description: string
  readonly takes: 'nothing' | 'file' | 'value'
  /** Values it may have; empty where any will do. */
  readonly choices: readonly string[]
}

/** A command and all below it, outermost first. */
export function placesOf(command: Command, above: readonly string[] = []): readonly Place[] {
  const help = command.createHelp()
  const path = [...above, command.name()]
  const subcommands = help.visibleCommands(command).filter(each => each.name() !== 'help')
  const own: Place = {
    path: path.join(' '),
    commands: subcommands.map(each => ({ name: each.name(), description: briefly(help.subcommandDescription(each)) })),
    options: help.visibleOptions(command).flatMap(flagOf),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    takesFile: command.registeredArguments.some(isFile),
  }
  return [own, ...subcommands.flatMap(each => placesOf(each, path))]
}

/** Every spelling of an option that takes a value. */
export const spellings = ({ long, short }: Flag): readonly string[] => (short === undefined ? [long] : [short, long])

function flagOf(option: Option): readonly Flag[] {
  const { long, short, description, required, optional, argChoices: choices = [] } = option
  if (!long) return []
  const takes = !required && !optional ? 'nothing' : FILE.test(option.flags) ? 'file' : 'value'
  return [{ long, short, description: briefly(description), takes, choices }]
}

/** What stands beside a word on one line. */
const briefly = (text: string): string => text.split(/[.;:] /, 1)[0] ?? ''

const FILE = /[<[](?:file|dir|directory|path)\b/

const isFile = (argument: Argument): boolean => FILE.test(`<${argument.name()}>`)
