import type { Command } from 'commander'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import { type Changing, changing, withOperator } from '../kit/options.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import { NAMED, tell } from './tell.ts'

/** Registers `accounts invite|uninvite`. */
export function registerInvite(accounts: Command): void {
  changing(accounts.command('invite'))
    .description(
      'print a link that lets one person sign in to an account that an operator opened; it works once, for 24 hours, and replaces the previous link',
    )
    .argument('<account>', NAMED)
    .action((named: string, options: Changing) =>
      withOperator(options, async operator => {
        const { invitation, link, ...account } = await operator.invite(named)
        if (options.json) return writeJson({ ...account, invitation, link })
        await writeOut([`${link ?? invitation}\n`])
        const until = account.invited_until === null ? '' : `, until ${withoutFraction(account.invited_until)}`
        console.error(`✓ this lets one person join ${account.label}${until}: send it over a channel you trust`)
        if (link === null)
          console.error(
            '▲ no console serves people who sign in: the invitation goes to POST /v1/account/join with their access token',
          )
      }),
    )

  changing(accounts.command('uninvite'))
    .description('revoke the open invitation of an account, or remove a sign-in that joined it')
    .argument('<account>', NAMED)
    .argument('[sign-in]', 'its id, as `accounts show` lists it; without it, the open invitation')
    .action((named: string, signIn: string | undefined, options: Changing) =>
      withOperator(options, async operator => {
        const account = await operator.uninvite(named, signIn)
        const done =
          signIn === undefined ? `no invitation to ${account.label} is open` : `${signIn} has left ${account.label}`
        await tell(account, done, options)
      }),
    )
}
