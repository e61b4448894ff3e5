import { type Command, Option } from 'commander'
import { type FormatOptions, listsIn } from '../kit/formats.ts'
import { type NamedIssuer, nameIssuer } from '../login/login.ts'

/** The options of `svcctl profile add`. */
export interface AddOptions extends NamedIssuer {
  readonly admin?: string
  readonly tokenFile?: string
}

interface Output {
  readonly json?: boolean
}

/** Registers `svcctl profile list|add|use|show`. */
export function registerProfile(program: Command): void {
  const profile = program.command('profile').description('name gateways, and choose the one that commands go to')

  listsIn(profile.command('list'))
    .description('list them; * marks the one in use')
    .action(async (options: FormatOptions) => (await import('./run.ts')).list(options))

  nameIssuer(
    profile
      .command('add')
      .description(
        'name a gateway: its admin listener with --admin, and its sign-in with --audience and --issuer or from a configuration',
      )
      .argument('<name>'),
  )
    .addOption(new Option('--admin <url>', 'its admin listener, for the commands of operators'))
    .addOption(new Option('--token-file <file>', 'a file with its admin token, with --admin'))
    .action(async (name: string, options: AddOptions) => (await import('./run.ts')).add(name, options))

  profile
    .command('use')
    .description(
      'use this gateway for commands that name no other; commands for operators prefer the files in this folder',
    )
    .argument('<name>')
    .action(async (name: string) => (await import('./run.ts')).use(name))

  profile
    .command('show')
    .description('show one, or the one in use')
    .argument('[name]')
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, options: Output) => (await import('./run.ts')).show(name, options))
}
