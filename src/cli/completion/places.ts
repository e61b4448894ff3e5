import type { Argument, Command, Option } from 'commander'

/** Kinds of names, which svcctl is asked for when they are to be completed. */
export const NAME_KINDS = ['plans', 'models', 'pools', 'fields'] as const
export type NameKind = (typeof NAME_KINDS)[number]

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
  /** The arguments that are a name, by their position. */
  readonly names: readonly { readonly position: number; readonly kind: NameKind }[]
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
  /** The kind of name that its value is. */
  readonly names: NameKind | undefined
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
    names: command.registeredArguments.flatMap((argument, position) => {
      const kind = nameKind(`<${argument.name()}>`)
      return kind ? [{ position, kind }] : []
    }),
  }
  return [own, ...subcommands.flatMap(each => placesOf(each, path))]
}

/** Every spelling of an option that takes a value. */
export const spellings = ({ long, short }: Flag): readonly string[] => (short === undefined ? [long] : [short, long])

function flagOf(option: Option): readonly Flag[] {
  const { long, short, description, required, optional, argChoices: choices = [] } = option
  if (!long) return []
  const takes = !required && !optional ? 'nothing' : FILE.test(option.flags) ? 'file' : 'value'
  return [{ long, short, description: briefly(description), takes, choices, names: nameKind(option.flags) }]
}

/** The short text next to a word, on one line. */
const briefly = (text: string): string => text.split(/[.;:] /, 1)[0] ?? ''

const FILE = /[<[](?:file|dir|directory|path)\b/

const NAME = /[<[](plan|model|pool|mirror|field)\b/

const nameKind = (text: string): NameKind | undefined => {
  const [, name] = NAME.exec(text) ?? []
  // A mirror is a pool.
  return name === 'mirror' ? 'pools' : NAME_KINDS.find(kind => kind === `${name}s`)
}

const isFile = (argument: Argument): boolean => FILE.test(`<${argument.name()}>`)

/** A text as one word of bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Patterns of a `case`, of which there is at least one. */
export const patterns = (texts: readonly string[]): string => (texts.length > 0 ? texts : [NEVER]).map(quoted).join('|')

/** No command line has it. */
const NEVER = '\u0001'

/** The paths of all commands but the program itself. */
export const pathsBelow = (places: readonly Place[]): readonly string[] => places.slice(1).map(({ path }) => path)

/** `svcctl usage --by`, of every option that takes a value, with the option. */
export const valued = (places: readonly Place[]): readonly { readonly at: readonly string[]; readonly flag: Flag }[] =>
  places.flatMap(({ path, options }) =>
    options
      .filter(({ takes }) => takes !== 'nothing')
      .map(flag => ({ at: spellings(flag).map(word => `${path} ${word}`), flag })),
  )
