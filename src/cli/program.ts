import { Command, Option } from 'commander'
import { version } from '../server/version.ts'
import { isCommand, OWN_GROUP, registerCommands } from './commands.ts'
import { beForgiving } from './forgiving.ts'

/**
 * The command line with its options and help: every command, or, if the words of one command line are given, only the commands
 * that it needs. docs/svcctl.md is generated from the whole.
 */
export async function svcctl(words?: readonly string[]): Promise<Command> {
  const program = new Command('svcctl')
    .description('Runs and governs an inference gateway.')
    .version(version)
    // Otherwise options after `pools drain` would be read as options of `pools`.
    .enablePositionalOptions()
    .exitOverride()
    .addOption(
      new Option(
        '-p, --profile <name>',
        'the gateway that `svcctl profile` saved under this name (env: SVCCTL_PROFILE)',
      ),
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0   fine
  1   the thing asked about is bad
  2   wrong usage
  3   cannot reach
  4   sign in first
  5   the ledger could not be written in time (serve)
  10  there are changes (plan --exit-code, prices check --exit-code)`,
    )

  const word = commandIn(words)
  await registerCommands(program, name => word === undefined || word === name)
  program.addHelpCommand(
    new Command('help').argument('[command]').description('show the help of a command').helpGroup(OWN_GROUP),
  )
  beForgiving(program)
  followProfile(program)
  findConfig(program)
  return program
}

/**
 * The only command that a command line needs, or '' if it prints the version. Undefined if it may need all of them: help lists
 * every command, a misspelt name is compared with every command, and completion scripts contain every command.
 */
function commandIn(words: readonly string[] | undefined): string | undefined {
  const [first = '', second = '', third = ''] = words ?? []
  if (words?.length === 1 && (first === '--version' || first === '-V')) return ''
  const word = first === '--profile' || first === '-p' ? third : first.startsWith('--profile=') ? second : first
  return isCommand(word) && word !== 'completion' ? word : undefined
}

/** `--profile` holds for the one command it is written for. */
function followProfile(program: Command): void {
  program.hook('preAction', () => {
    const profile: unknown = program.getOptionValue('profile')
    if (typeof profile !== 'string') return
    process.env.SVCCTL_PROFILE = profile
    // An address written for this command goes before the shell's for all.
    delete process.env.SVCCTL_ADMIN
  })
}

/** In the folder of a demo that runs, a command that names no configuration means the demo's. */
function findConfig(program: Command): void {
  program.hook('preAction', async (_, command) => {
    const from = command.getOptionValueSource('config')
    const file: unknown = command.getOptionValue('config')
    if (command.name() === 'serve' || typeof file !== 'string' || (from !== 'default' && from !== 'cli')) return
    const { configHere } = await import('./serve/demo-profile.ts')
    command.setOptionValueWithSource('config', configHere(file, from === 'default'), from)
  })
}
