import type { Command } from 'commander'
import { LIFE_HINT, lifeOption } from '../kit/agent-life.ts'
import { type Named, nameGateway } from '../login/login.ts'

/** Registers `svcctl token`. Exit codes: 0 a token was printed, 3 the gateway or the provider cannot be reached, 4 sign in first. */
export function registerToken(program: Command): void {
  nameGateway(program.command('token'))
    .description('print a short-lived token of the signed-in person for coding agents; it works for inference only')
    .addOption(lifeOption(`how long it may work, ${LIFE_HINT}`))
    .option('--new', 'ask for another one, also while the last one still works')
    .action(async (options: Named & { readonly expiresIn: number; readonly new?: boolean }) => {
      const { printToken } = await import('./run.ts')
      await printToken(options)
    })
}
