import type { Command } from 'commander'
import { type FormatOptions, listsIn } from '../formats.ts'
import { type NamedIssuer, nameIssuer } from '../login/login.ts'

interface Output {
  readonly json?: boolean
}

/** Registers `svcctl profile list|add|use|show`. */
export function registerProfile(program: Command): void {
  const profile = program.command('profile').description('name gateways, and choose the one that commands go to')

  listsIn(profile.command('list'))
    .description('list them; * marks the one in use')
    .action(async (options: FormatOptions) => (await import('./profile-run.ts')).list(options))

  nameIssuer(
    profile
      .command('add')
      .description('name a gateway: that of --audience and --issuer, or of a configuration')
      .argument('<name>'),
  ).action(async (name: string, options: NamedIssuer) => (await import('./profile-run.ts')).add(name, options))

  profile
    .command('use')
    .description('use this gateway in commands that name no other one')
    .argument('<name>')
    .action(async (name: string) => (await import('./profile-run.ts')).use(name))

  profile
    .command('show')
    .description('show one, or the one in use')
    .argument('[name]')
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, options: Output) => (await import('./profile-run.ts')).show(name, options))
}
