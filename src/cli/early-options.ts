import type { Command } from 'commander'
import { CommandFailed, exitCodes } from '../server/failure.ts'

/** For a command that does something by itself and has others below it: an option of its own before one of those would be lost. */
export function refuseEarlyOptions(command: Command): Command {
  return command.hook('preSubcommand', (parent, below) => {
    const early = parent.options.find(option => parent.getOptionValueSource(option.attributeName()) === 'cli')
    if (!early) return
    const name = `${parent.name()} ${below.name()}`
    throw new CommandFailed(`✗ ${early.long} stands before its command: write it behind \`${name}\``, exitCodes.usage)
  })
}
