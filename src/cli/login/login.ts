import type { Command } from 'commander'
import { type Named, type NamedIssuer, nameGateway, nameIssuer } from './login-options.ts'

/** Registers `svcctl login`, `logout` and `whoami`. */
export function registerLogin(program: Command): void {
  // Each is loaded only when it is run: speaking HTTP costs more to load than a --help may take.
  nameIssuer(program.command('login').description('sign in to a gateway with a device code')).action(
    async (options: NamedIssuer) => {
      const { login } = await import('./login-run.ts')
      await login(options)
    },
  )

  nameGateway(program.command('logout').description('forget a sign-in, and end it at its identity provider')).action(
    async (options: Named) => {
      const { logout } = await import('./logout.ts')
      await logout(options)
    },
  )

  nameGateway(program.command('whoami').description('say who is signed in, as the gateway sees it'))
    .option('--json', 'print JSON')
    .action(async (options: Named & { json?: boolean }) => {
      const { whoami } = await import('./whoami.ts')
      await whoami(options)
    })
}
