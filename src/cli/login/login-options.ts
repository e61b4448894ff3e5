import { type Command, Option } from 'commander'

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
    .addOption(new Option('--profile <name>', 'a gateway that `svcctl profile` knows (env: SVCCTL_PROFILE)'))
    .addOption(new Option('-c, --config <file>', 'the configuration of the gateway (env: SVCCTL_CONFIG)'))

/** Adds the options that name a gateway and its identity provider. */
export const nameIssuer = (command: Command): Command =>
  nameGateway(command)
    .addOption(new Option('--issuer <url>', 'the identity provider, with --audience'))
    .addOption(new Option('--client-id <id>', 'the public client there (default: svcctl)'))
