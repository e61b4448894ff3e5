import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OperatorApi } from '../../operator/operator-api.ts'
import { type Common, ofGateway, withOperator } from '../options.ts'
import { writeJson, writeOut } from '../terminal.ts'
import { accountsTable } from './account-text.ts'

/** Registers `accounts list`. */
export function registerList(accounts: Command): void {
  ofGateway(accounts.command('list'))
    .description(
      'show accounts with their plan, what they used of this window, and their keys; devices only with their plan',
    )
    .option('--plan <plan>', 'only those on this plan')
    .addOption(new Option('--limit <number>', 'at most so many, up to 10000').default(100).argParser(limitOf))
    .action((options: ListOptions) => withOperator(options, operator => list(operator, options)))
}

interface ListOptions extends Common {
  readonly plan?: string
  readonly limit: number
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
