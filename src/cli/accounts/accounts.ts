import type { Command } from 'commander'
import type { OperatorApi } from '../../operator/api.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import { dollars } from '../../wire/money.ts'
import { type Changing, type Common, changing, ofGateway, withOperator } from '../kit/options.ts'
import { asksFirst, confirm, mayAsk, writeJson, writeOut } from '../kit/terminal.ts'
import { registerInvite } from './invite.ts'
import { registerLimits } from './limits.ts'
import { registerList, registerOrgs } from './list.ts'
import { NAMED, NAMED_OR_ORG, tell, wrong } from './tell.ts'
import { overageText, planText, subjectText } from './text.ts'

interface ClearOptions extends Changing {
  readonly clear?: boolean
}

interface SureOptions extends Changing {
  readonly yes?: boolean
}

interface PlanOptions extends ClearOptions, SureOptions {}

/** Registers `svcctl accounts list|orgs|show|set-plan|set-overage|grant|set-limit|unset-limit|set-org|invite|uninvite|freeze|thaw`. */
export function registerAccounts(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('show accounts, set their plan, overage, credit and limits, or freeze them')

  ofGateway(accounts.command('show'))
    .description('show an account: its plan and who set it, the quota of this window, and its keys')
    .argument('<account>', NAMED_OR_ORG)
    .action((named: string, options: Common) =>
      withOperator(options, async operator => {
        const account = await operator.showAccount(named)
        await (options.json ? writeJson(account) : writeOut([`${subjectText(account)}\n`]))
      }),
    )

  registerList(accounts)
  registerOrgs(accounts)

  registerSetPlan(accounts)
  registerSetOverage(accounts)
  registerGrant(accounts)
  registerLimits(accounts)
  registerSetOrg(accounts)
  registerInvite(accounts)
  registerFreeze(accounts)
}

function registerSetPlan(accounts: Command): void {
  asksFirst(changing(accounts.command('set-plan')))
    .description('put an account on a plan, whatever its sign-in token says; applies to the next request')
    .argument('<account>', NAMED)
    .argument('[plan]', 'a plan of the configuration')
    .option('--clear', 'go back to the plan in the token, or the default')
    .action((named: string, plan: string | undefined, options: PlanOptions) => {
      const decided = oneOrCleared('a plan', plan, options)
      mayAsk(options.yes)
      return withOperator(options, operator => setPlan(operator, named, decided, options))
    })
}

function registerSetOverage(accounts: Command): void {
  changing(accounts.command('set-overage'))
    .description('allow or forbid an account to spend beyond its limit, whatever its plan says')
    .argument('<account>', NAMED)
    .argument('[overage]', '`on`, `off`, or the most US dollars beyond the limit')
    .option('--clear', 'go back to what the plan says')
    .action((named: string, overage: string | undefined, options: ClearOptions) => {
      const decided = oneOrCleared('on, off or US dollars', overage, options)
      const sent = decided === null ? null : overageOf(decided)
      return withOperator(options, async operator => {
        const account = await operator.setOverage(named, sent)
        const by = account.overage_source === 'plan' ? 'by its plan' : 'by you'
        await tell(account, `overage of ${account.label}: ${overageText(account.overage)}, ${by}`, options)
      })
    })
}

function registerSetOrg(accounts: Command): void {
  changing(accounts.command('set-org'))
    .description('put an account into an org, which can be frozen as a whole; the first account creates it')
    .argument('<account>', NAMED)
    .argument('[org]', 'such as org:acme')
    .option('--clear', 'take the account out of its org')
    .action((named: string, org: string | undefined, options: ClearOptions) => {
      const decided = oneOrCleared('an org', org, options)
      return withOperator(options, async operator => {
        const account = await operator.setOrg(named, decided)
        await tell(account, `org of ${account.label}: ${account.org ?? 'none'}`, options)
      })
    })
}

/** Registers `freeze` and `thaw`. */
function registerFreeze(accounts: Command): void {
  asksFirst(changing(accounts.command('freeze')))
    .description('refuse all requests of an account from the next one on; its keys, plan and usage stay unchanged')
    .argument('<account>', NAMED_OR_ORG)
    .action((named: string, options: SureOptions) => {
      mayAsk(options.yes)
      return withOperator(options, operator => freeze(operator, named, options))
    })

  changing(accounts.command('thaw'))
    .description('unfreeze an account')
    .argument('<account>', NAMED_OR_ORG)
    .action((named: string, options: Changing) =>
      withOperator(options, async operator => {
        const account = await operator.setFrozen(named, false)
        await tell(account, `${account.label} is not frozen`, options)
      }),
    )
}

async function freeze(operator: OperatorApi, named: string, options: SureOptions): Promise<void> {
  if (!options.yes) {
    const { label, account, kind } = await operator.showAccount(named)
    const what = kind === 'org' ? `all accounts of ${label}` : `${label} (${account})`
    await confirm(`Freeze ${what}? The next request is refused.`, options.yes)
  }
  const account = await operator.setFrozen(named, true)
  await tell(account, `${account.label} is frozen: the next request is refused`, options)
}

/** Registers `grant`, below `accounts` and below `quota`. */
export function registerGrant(parent: Command): void {
  changing(parent.command('grant'))
    .description(
      'add US dollars to the limit of this window; a negative amount takes back credit, at most what was granted',
    )
    .argument('<account>', NAMED)
    .argument('<usd>', 'an exact decimal, such as 12.50')
    .action((named: string, usd: string, options: Changing) => {
      const exact = usdOf(usd)
      return withOperator(options, async operator => {
        const account = await operator.grant(named, exact)
        const until = withoutFraction(account.window.end)
        await tell(
          account,
          `credit of ${account.label}: ${dollars(account.granted_usd)} in all, until ${until}`,
          options,
        )
      })
    })
}

async function setPlan(operator: OperatorApi, named: string, plan: string | null, options: PlanOptions): Promise<void> {
  if (!options.yes) {
    const before = await operator.showAccount(named)
    const to = plan === null ? 'the plan in its token, or the default' : plan
    const { label, account } = before
    // The gateway says that an org has no plan.
    const from = before.kind === 'org' ? 'none' : planText(before)
    await confirm(`Move ${label} (${account}) from plan ${from}, to ${to}?`, options.yes)
  }
  const account = await operator.setPlan(named, plan)
  await tell(account, `plan of ${account.label}: ${planText(account)}`, options)
}

/** The value given, or null for --clear: one of the two. */
function oneOrCleared(what: string, given: string | undefined, { clear = false }: ClearOptions): string | null {
  if ((given === undefined) !== clear) throw wrong(clear ? `--clear goes without ${what}` : `give ${what}, or --clear`)
  return given ?? null
}

function overageOf(text: string): boolean | { readonly cap_usd: string } {
  if (text === 'on' || text === 'off') return text === 'on'
  const cap = usdOf(text)
  if (cap.startsWith('-')) throw wrong('overage cannot be negative')
  return { cap_usd: cap }
}

/** An exact decimal goes as the text it is: a number would round it. */
function usdOf(text: string): string {
  const plain = text.replace(/^\+/, '')
  if (/^-?\d{1,7}(?:\.\d{1,9})?$/.test(plain)) return plain
  throw wrong(`${text} is not an amount of US dollars: write 12.50, with at most 9 decimals`)
}
