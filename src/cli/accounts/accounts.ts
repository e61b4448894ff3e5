import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OperatorApi } from '../../operator/operator-api.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import type { ShownAccount } from '../../wire/admin/account.ts'
import type { ShownKey, ShownPlan } from '../../wire/admin/key.ts'
import type { ShownOrg } from '../../wire/admin/org.ts'
import { dollars } from '../../wire/money.ts'
import { type Changing, type Common, changing, ofGateway, withOperator } from '../options.ts'
import { type Column, table, tableText } from '../table.ts'
import { asksFirst, confirm, mayAsk, writeJson, writeOut } from '../terminal.ts'

interface ClearOptions extends Changing {
  readonly clear?: boolean
}

interface SureOptions extends Changing {
  readonly yes?: boolean
}

interface PlanOptions extends ClearOptions, SureOptions {}

interface ListOptions extends Common {
  readonly plan?: string
  readonly limit: number
}

const NAMED = 'its id or label, or its key'
const NAMED_OR_ORG = `${NAMED}; or an org, such as org:acme`

/** Registers `svcctl accounts list|show|set-plan|set-overage|grant|set-org|freeze|thaw`. */
export function registerAccounts(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('show accounts, and decide their plan, overage and credit, or freeze them')

  ofGateway(accounts.command('show'))
    .description('show the plan and who set it, the quota of this window, and the keys')
    .argument('<account>', NAMED_OR_ORG)
    .action((named: string, options: Common) =>
      withOperator(options, async operator => {
        const account = await operator.showAccount(named)
        await (options.json ? writeJson(account) : writeOut([`${subjectText(account)}\n`]))
      }),
    )

  ofGateway(accounts.command('list'))
    .description(
      'show accounts with their plan, what they used of this window, and their keys; devices only with their plan',
    )
    .option('--plan <plan>', 'only those on this plan')
    .addOption(new Option('--limit <number>', 'at most so many, up to 10000').default(100).argParser(limitOf))
    .action((options: ListOptions) => withOperator(options, operator => list(operator, options)))

  asksFirst(changing(accounts.command('set-plan')))
    .description('put an account on a plan, whatever its sign-in token says; it holds for the next request')
    .argument('<account>', NAMED)
    .argument('[plan]', 'a plan of the configuration')
    .option('--clear', 'leave the plan to the token, or the default')
    .action((named: string, plan: string | undefined, options: PlanOptions) => {
      const decided = oneOrCleared('a plan', plan, options)
      mayAsk(options.yes)
      return withOperator(options, operator => setPlan(operator, named, decided, options))
    })

  changing(accounts.command('set-overage'))
    .description('let an account spend past its limit, or not, whatever its plan says')
    .argument('<account>', NAMED)
    .argument('[overage]', '`on`, `off`, or the most US dollars past the limit')
    .option('--clear', 'leave it to the plan')
    .action((named: string, overage: string | undefined, options: ClearOptions) => {
      const decided = oneOrCleared('on, off or US dollars', overage, options)
      const sent = decided === null ? null : overageOf(decided)
      return withOperator(options, async operator => {
        const account = await operator.setOverage(named, sent)
        const by = account.overage_source === 'plan' ? 'by its plan' : 'by you'
        await tell(account, `overage of ${account.label}: ${overageText(account.overage)}, ${by}`, options)
      })
    })

  registerGrant(accounts)

  changing(accounts.command('set-org'))
    .description(
      'have an account belong to an org, whose freeze counts for all of its accounts; it begins with the first',
    )
    .argument('<account>', NAMED)
    .argument('[org]', 'such as org:acme')
    .option('--clear', 'it belongs to none any more')
    .action((named: string, org: string | undefined, options: ClearOptions) => {
      const decided = oneOrCleared('an org', org, options)
      return withOperator(options, async operator => {
        const account = await operator.setOrg(named, decided)
        await tell(account, `org of ${account.label}: ${account.org ?? 'none'}`, options)
      })
    })

  asksFirst(changing(accounts.command('freeze')))
    .description('serve nothing for an account from the next request on; its keys, plan and usage stay as they are')
    .argument('<account>', NAMED_OR_ORG)
    .action((named: string, options: SureOptions) => {
      mayAsk(options.yes)
      return withOperator(options, operator => freeze(operator, named, options))
    })

  changing(accounts.command('thaw'))
    .description('serve a frozen account again')
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
      'add US dollars to the limit of this window; a negative amount takes credit back, but no more than was granted',
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

async function list(operator: OperatorApi, { plan, limit, json }: ListOptions): Promise<void> {
  const accounts = await operator.listAccounts({ limit, ...(plan !== undefined && { plan }) })
  if (json) return writeJson(accounts)
  if (accounts.data.length === 0)
    console.error(plan === undefined ? 'There are no accounts.' : `No account is on ${plan}.`)
  else await writeOut([`${accountsTable(accounts.data)}\n`])
  if (accounts.has_more) console.error(`▲ there are more than these ${limit}: give --limit or --plan`)
}

function limitOf(text: string): number {
  const limit = Number(text)
  if (/^\d{1,5}$/.test(text) && limit >= 1 && limit <= 10_000) return limit
  throw new InvalidArgumentError('Write a whole number from 1 to 10000.')
}

async function setPlan(operator: OperatorApi, named: string, plan: string | null, options: PlanOptions): Promise<void> {
  if (!options.yes) {
    const before = await operator.showAccount(named)
    const to = plan === null ? 'what its token or the default says' : plan
    const { label, account } = before
    // The gateway says that an org has no plan.
    const from = before.kind === 'org' ? 'none' : planText(before)
    await confirm(`Move ${label} (${account}) from plan ${from}, to ${to}?`, options.yes)
  }
  const account = await operator.setPlan(named, plan)
  await tell(account, `plan of ${account.label}: ${planText(account)}`, options)
}

/** Prints the account as it is now for scripts, or a sentence for people, on stderr. */
async function tell(account: ShownAccount | ShownOrg, sentence: string, { json }: Common): Promise<void> {
  if (json) return writeJson(account)
  console.error(`✓ ${sentence}`)
}

/** What was given, or null for --clear: one of the two. */
function oneOrCleared(what: string, given: string | undefined, { clear = false }: ClearOptions): string | null {
  if ((given === undefined) !== clear) throw wrong(clear ? `--clear goes without ${what}` : `give ${what}, or --clear`)
  return given ?? null
}

function overageOf(text: string): boolean | { readonly cap_usd: string } {
  if (text === 'on' || text === 'off') return text === 'on'
  const cap = usdOf(text)
  if (cap.startsWith('-')) throw wrong('what may be spent past a limit is not negative')
  return { cap_usd: cap }
}

/** An exact decimal goes as the text it is: a number would round it. */
function usdOf(text: string): string {
  const plain = text.replace(/^\+/, '')
  if (/^-?\d{1,7}(?:\.\d{1,9})?$/.test(plain)) return plain
  throw wrong(`${text} is no amount of US dollars: write 12.50, to at most 9 decimals`)
}

const wrong = (message: string): CommandFailed => new CommandFailed(`✗ ${message}`, exitCodes.usage)

/** An account or an org as people read it. */
const subjectText = (subject: ShownAccount | ShownOrg): string =>
  subject.kind === 'org' ? orgText(subject) : accountText(subject)

const orgText = ({ account, frozen, created }: ShownOrg): string =>
  table([
    ['org', account],
    ...(frozen ? [['frozen', 'by an operator: nothing is served for its accounts']] : []),
    ['created', timeText(created)],
  ])

/** An account as people read it: one line for each thing that is decided or counted of it. */
export function accountText(account: ShownAccount): string {
  const { label, window, used_usd, held_usd, limit_usd, granted_usd, keys } = account
  const granted = granted_usd === '0' ? '' : `, ${dollars(granted_usd)} of it granted`
  const rows = [
    ['account', account.account],
    ['label', label],
    ...(account.org === null ? [] : [['org', account.org]]),
    ...(account.frozen ? [['frozen', 'by an operator: nothing is served for it']] : []),
    ['plan', planText(account)],
    [
      'overage',
      `${overageText(account.overage)}, by ${account.overage_source === 'plan' ? 'its plan' : 'an operator'}`,
    ],
    ['used', `${dollars(used_usd)}, and ${dollars(held_usd)} reserved by running requests`],
    ['limit', limit_usd === null ? 'none: it has no plan' : `${dollars(limit_usd)}${granted}`],
    ['window', `${withoutFraction(window.start)} to ${withoutFraction(window.end)}`],
    ['created', timeText(account.created)],
    ...(keys.length > 0
      ? keys.map(key => ['key', `${key.key}  ${key.status}  ${timeText(key.created)}`])
      : [['key', 'none']]),
  ]
  return table(rows)
}

/** Accounts as people read them. */
export const accountsTable = (accounts: readonly ShownAccount[]): string =>
  tableText(
    COLUMNS,
    accounts.map(({ label, account, plan, used_usd, limit_usd, keys }) => [
      label,
      account,
      plan ?? 'none',
      dollars(used_usd),
      limit_usd === null ? '-' : dollars(limit_usd),
      keysText(keys),
    ]),
  )

const COLUMNS: readonly Column[] = [
  { title: 'ACCOUNT', least: 12 },
  // Other commands take it where labels are not unique: part of it would be of no use.
  { title: 'ID', gives: 2 },
  { title: 'PLAN', least: 6, gives: 3 },
  { title: 'USED', number: true },
  { title: 'LIMIT', number: true },
  { title: 'KEYS', gives: 1 },
]

/** `svc_ab12…, 2 ended` */
function keysText(keys: ShownAccount['keys']): string {
  const active = keys.filter(({ status }) => status === 'active').map(({ key }) => key)
  const ended = keys.length - active.length
  return [...active, ...(ended > 0 ? [`${ended} ended`] : [])].join(', ') || '-'
}

/** A key, and the account that it is of. */
export const keyText = (key: ShownKey & { readonly owner: ShownAccount }): string =>
  `${key.key}  ${key.status}  ${timeText(key.created)}\n\n${accountText(key.owner)}`

const SOURCES: Readonly<Record<ShownPlan['plan_source'], string>> = {
  operator: 'set by an operator',
  token: 'by its sign-in token',
  default: 'by default',
  guests: 'that of guests',
}

/** `pro, by its sign-in token` */
export const planText = ({ plan, plan_source }: ShownPlan): string =>
  plan === null ? 'none: the configuration has none for it' : `${plan}, ${SOURCES[plan_source]}`

const overageText = (overage: ShownAccount['overage']): string =>
  typeof overage === 'string' ? overage : `up to ${dollars(overage.cap_usd)} past the limit`

/** From seconds since the epoch. */
export const timeText = (seconds: number): string => withoutFraction(new Date(seconds * 1000).toISOString())
