import { type Command, Option } from 'commander'

/** Applies the rules for every command, so that none can forget them. Call it once all commands are registered. */
export function beForgiving(program: Command): void {
  // Commander proposes a name that shares half of its letters, such as `logout` for `bogus`.
  program.configureOutput({ outputError: (text, write) => write(withoutFarGuess(text)) })
  for (const command of allCommands(program)) {
    command.showHelpAfterError(`(${nameOf(command)} --help shows ${helpOf(command)})`)
    command.configureOutput({ outputError: (text, write) => write(withoutFarGuess(text)) })
    // Scripts pass --yes to all that changes something, whether or not it would ask.
    if (has(command, '--as') && !has(command, '--yes')) command.addOption(new Option('-y, --yes').hideHelp())
  }
}

/** A command and all below it. */
export const allCommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(below => allCommands(below)),
]

const has = ({ options }: Command, long: string): boolean => options.some(option => option.long === long)

/** `svcctl keys mint` */
export function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
}

const helpOf = ({ commands, options }: Command): string =>
  [...(commands.length > 0 ? ['its commands'] : []), ...(options.length > 0 ? ['its options'] : [])].join(' and ') ||
  'how to use it'

/** A guess that is no slip of the fingers helps nobody. */
const withoutFarGuess = (text: string): string =>
  text.replace(/\n?\(Did you mean ([^?]+)\?\)/, (guess, name: string) => {
    const [, written = name] = /'([^']+)'/.exec(text) ?? []
    return lettersShared(written, name) > 0.75 * Math.max(written.length, name.length) ? guess : ''
  })

/** How many letters two names have in common, in whatever order. A package that counts edits would load with each --help. */
function lettersShared(one: string, other: string): number {
  const left = [...other]
  return [...one].filter(letter => {
    const at = left.indexOf(letter)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }).length
}
