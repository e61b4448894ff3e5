import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AccountsQuery, OperatorApi } from '../../operator/api.ts'
import type { ShownAccount, ShownAccounts } from '../../wire/admin/account.ts'
import { forPrograms } from '../kit/formats.ts'
import { type Limited, type Listing, limitOption, listing, tellLeftOut, withOperator } from '../kit/options.ts'
import { writeOut } from '../kit/terminal.ts'
import { accountsTable, orgsTable } from './text.ts'

/** Registers `accounts list`. */
export function registerList(accounts: Command): void {
  listing(accounts.command('list'))
    .description('list accounts with their plan, usage in this window, and keys; devices only with --plan')
    .option('--plan <plan>', 'only those on this plan')
    .option('--org <org>', 'only those of this org, such as org:acme')
    .option('--search <text>', 'only those with this text in their label or id, ignoring case')
    .addOption(
      new Option('--sort <order>', 'by label, newest first, highest spend in this window first, or by id')
        .choices(ORDERS)
        .default('label'),
    )
    .addOption(new Option('--limit <number>', 'at most this many, up to 10000').default(100).argParser(limitOf))
    .option('--cursor <cursor>', 'continue a list that was cut off, with the cursor that it printed')
    .action((options: ListOptions) => withOperator(options, operator => list(operator, options)))
}

/** Registers `accounts orgs`. */
export function registerOrgs(accounts: Command): void {
  listing(accounts.command('orgs'))
    .description('list the orgs that accounts belong to, with their limits; `list --org` shows the accounts of one')
    .addOption(limitOption())
    .action(({ limit, ...options }: Listing & Limited) =>
      withOperator(options, async operator => {
        const all = await operator.listOrgs()
        const orgs = { ...all, data: all.data.slice(0, limit) }
        tellLeftOut(all.data.length, limit)
        const written = forPrograms(options, orgs)
        if (written !== undefined) return writeOut([written])
        if (orgs.data.length === 0) console.error('There are no orgs: `accounts set-org` makes one.')
        else await writeOut([`${orgsTable(orgs.data)}\n`])
        if (orgs.has_more) console.error('▲ there are more of them')
      }),
    )
}

const ORDERS = ['label', 'created', 'spend', 'id']

interface ListOptions extends Listing, AccountsQuery {}

async function list(operator: OperatorApi, { json, format, config: _, ...query }: ListOptions): Promise<void> {
  const accounts = await pagesOf(operator, query)
  const written = forPrograms({ ...(json && { json }), ...(format && { format }) }, accounts)
  if (written !== undefined) return writeOut([written])
  if (accounts.data.length === 0) console.error(nobodyText(query))
  else await writeOut([`${accountsTable(inReadingOrder(accounts.data, query))}\n`])
  if (accounts.has_more)
    console.error(`▲ there are more than these ${query.limit}: give --limit, --search or --cursor ${accounts.next}`)
}

/** In a terminal the newest come last, next to the prompt. */
const inReadingOrder = (accounts: readonly ShownAccount[], { sort }: AccountsQuery): readonly ShownAccount[] =>
  sort === 'created' && process.stdout.isTTY ? accounts.toReversed() : accounts

/** The most of one page. */
const PAGE = 1000

/** Reads all pages. */
async function pagesOf(operator: OperatorApi, query: AccountsQuery): Promise<ShownAccounts> {
  const data: ShownAccount[] = []
  let cursor = query.cursor
  for (;;) {
    const limit = Math.min(PAGE, query.limit - data.length)
    const page = await operator.listAccounts({ ...query, limit, ...(cursor !== undefined && { cursor }) })
    data.push(...page.data)
    if (page.next === null || data.length >= query.limit) return { ...page, data }
    cursor = page.next
  }
}

function nobodyText({ plan, org, search }: AccountsQuery): string {
  const [what, ...more] = [
    ...(plan === undefined ? [] : [`on ${plan}`]),
    ...(org === undefined ? [] : [`of ${org}`]),
    ...(search === undefined ? [] : [`called ${search}`]),
  ]
  return what === undefined ? 'There are no accounts.' : `No account is ${[what, ...more].join(', ')}.`
}

function limitOf(text: string): number {
  const limit = Number(text)
  if (/^\d{1,5}$/.test(text) && limit >= 1 && limit <= 10_000) return limit
  throw new InvalidArgumentError('Write a whole number from 1 to 10000.')
}
