import { type Command, Option } from 'commander'

/** Registers `svcctl login`, `logout` and `whoami`. */
export function registerLogin(program: Command): void {
  // Each is loaded only when it is run: speaking HTTP costs more to load than a --help may take.
  nameIssuer(program.command('login').description('sign in to a gateway with a device code')).action(
    async (options: NamedIssuer) => {
      const { login } = await import('./run.ts')
      await login(options)
    },
  )

  nameGateway(program.command('logout').description('sign out, and end the session at the identity provider')).action(
    async (options: Named) => {
      const { logout } = await import('./run.ts')
      await logout(options)
    },
  )

  nameGateway(program.command('whoami').description('show who is signed in, as the gateway sees it'))
    .option('--json', 'print JSON')
    .action(async (options: Named & { json?: boolean }) => {
      const { whoami } = await import('./run.ts')
      await whoami(options)
    })
}

/** How a command line names a gateway. */
export interface Named {
  readonly audience?: string
  readonly profile?: string
  readonly config?: string
}

/** And where its users sign in. */
export interface NamedIssuer extends Named {
  readonly issuer?: string
  readonly clientId?: string
}

/** Adds the options that name a gateway. */
export const nameGateway = (command: Command): Command =>
  command
    .addOption(new Option('--audience <url>', 'public URL of the gateway'))
    .addOption(new Option('--profile <name>', 'a gateway that `svcctl profile` saved (env: SVCCTL_PROFILE)'))
    .addOption(new Option('-c, --config <file>', 'the configuration of the gateway (env: SVCCTL_CONFIG)'))

/** Adds the options that name a gateway and its identity provider. */
export const nameIssuer = (command: Command): Command =>
  nameGateway(command)
    .addOption(new Option('--issuer <url>', 'the identity provider, with --audience'))
    .addOption(new Option('--client-id <id>', 'the public client there (default: svcctl)'))
