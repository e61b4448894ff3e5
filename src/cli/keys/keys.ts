import type { Command } from 'commander'
import type { MintedByOperator, NewOwner, OperatorApi } from '../../operator/operator-api.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import type { ShownKey } from '../../wire/admin/key.ts'
import { jsonText } from '../../wire/printable.ts'
import { keyText, planText, timeText } from '../accounts/account-text.ts'
import { type Changing, type Common, changing, ofGateway, withOperator } from '../options.ts'
import { type Column, tableText } from '../table.ts'
import { asksFirst, confirm, mayAsk, writeJson, writeOut } from '../terminal.ts'

interface MintOptions extends Changing {
  readonly plan?: string
  readonly account?: string
  readonly guest?: string
  readonly ifMissing?: boolean
}

interface Sure extends Changing {
  readonly yes?: boolean
}

const NAMED = 'its full or masked value, or its account by id or label'

/** Registers `svcctl keys mint|list|show|rotate|revoke`. */
export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('mint, list, show, rotate and revoke keys')

  changing(keys.command('mint'))
    .description('make a key; the full value is shown once, that of a device whenever it is asked for')
    .option('--plan <slug>', 'the plan of the account; an account named by its id keeps its plan without it')
    .option('--account <name>', 'whose key it is: an id, or a label such as an e-mail address')
    .option('--guest <device>', 'the key of a device, in place of an account')
    .option('--if-missing', 'exit 0 when the account has a key already')
    .action((options: MintOptions) => {
      const owner = ownerOf(options)
      return withOperator(options, operator => mint(operator, owner, options))
    })

  ofGateway(keys.command('list'))
    .description('list keys, masked')
    .action((options: Common) => withOperator(options, operator => list(operator, options)))

  ofGateway(keys.command('show'))
    .description('show a key with its account: plan, quota, other keys')
    .argument('<key>', NAMED)
    .action((named: string, options: Common) =>
      withOperator(options, async operator => {
        const key = await operator.showKey(named)
        await (options.json ? writeJson(key) : writeOut([`${keyText(key)}\n`]))
      }),
    )

  asksFirst(changing(keys.command('rotate')))
    .description('end a key and make the next one of its account, with its plan and usage as they are')
    .argument('<key>', NAMED)
    .action((named: string, options: Sure) => {
      mayAsk(options.yes)
      return withOperator(options, operator => rotate(operator, named, options))
    })

  asksFirst(changing(keys.command('revoke')))
    .description('end a key now')
    .argument('<key>', NAMED)
    .action((named: string, options: Sure) => {
      mayAsk(options.yes)
      return withOperator(options, operator => revoke(operator, named, options))
    })
}

function ownerOf({ plan, account, guest }: MintOptions): NewOwner {
  const wrong = (message: string) => new CommandFailed(`✗ ${message}`, exitCodes.usage)
  if (guest !== undefined) {
    if (plan !== undefined || account !== undefined)
      throw wrong('--guest goes alone: guests have one plan, and no account')
    return { device: guest }
  }
  if (account === undefined) throw wrong('name an account with --account, or a device with --guest')
  if (plan === undefined && !account.startsWith('acct_')) throw wrong('--plan is needed: the account may be a new one')
  return { account, ...(plan !== undefined && { plan }) }
}

async function mint(operator: OperatorApi, owner: NewOwner, options: MintOptions): Promise<void> {
  const minted = await operator.mint(owner)
  if (minted.value !== undefined) return handOver(minted, minted.value, options)
  // Nothing on stdout: KEY=$(svcctl keys mint …) must never hold a mask.
  const { key } = minted
  const message = `${key.label} has the key ${key.key} on plan ${key.plan} already. For a new value: svcctl keys rotate ${key.key}`
  if (!options.ifMissing) throw new CommandFailed(`✗ ${message}`)
  console.error(message)
}

async function rotate(operator: OperatorApi, named: string, options: Sure): Promise<void> {
  if (!options.yes) {
    const { key, label } = await operator.showKey(named)
    await confirm(`Rotate ${key} of ${label}? The next request with it is refused.`, options.yes)
  }
  const rotated = await operator.rotate(named)
  if (rotated.value === undefined) throw new TypeError('the gateway rotated a key and sent no value')
  await handOver(rotated, rotated.value, options)
}

async function revoke(operator: OperatorApi, named: string, options: Sure): Promise<void> {
  if (!options.yes) {
    const { key, label } = await operator.showKey(named)
    await confirm(`Revoke ${key} of ${label}? The next request with it is refused.`, options.yes)
  }
  const revoked = await operator.revoke(named)
  if (options.json) return writeJson({ ...revoked, revoked: true })
  console.error(`✓ ${revoked.key} of ${revoked.label} is revoked: the next request with it is refused.`)
}

/** Writes the full value, which there will be no second time. */
async function handOver(minted: MintedByOperator, value: string, { json }: Common): Promise<void> {
  const { key, baseUrl } = minted
  const plain = process.stdout.isTTY ? mintedText(key, value, baseUrl) : value
  await hand(json ? jsonText({ ...key, value }) : plain).catch((error: Error) => {
    const todo = key.kind === 'guest' ? 'mint it again' : `svcctl keys revoke --yes ${key.key}`
    throw new CommandFailed(`✗ the key could not be written (${error.message}) and is lost: ${todo}`)
  })
}

/** Writes a line to stdout. Rejects when it did not get there: what is shown once must not be lost in silence. */
function hand(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject)
    process.stdout.write(`${text}\n`, error => (error ? reject(error) : resolve()))
  })
}

const mintedText = (key: ShownKey, value: string, baseUrl: string): string => `✓ Key for ${key.label}
  plan ${planText(key)}

  ${value}

  ${key.kind === 'guest' ? 'This device gets the same key whenever it asks.' : 'It is shown once: only a hash of it is kept.'}

  export OPENAI_BASE_URL=${baseUrl}
  export OPENAI_API_KEY=${value}`

async function list(operator: OperatorApi, { json }: Common): Promise<void> {
  const keys = await operator.list()
  if (json) return writeJson({ object: 'list', data: keys })
  if (keys.length === 0) console.error('No keys yet. Make one: svcctl keys mint --plan PLAN --account NAME')
  else {
    const rows = keys.map(key => [key.key, key.label, key.plan ?? 'none', key.status, timeText(key.created)])
    await writeOut([`${tableText(COLUMNS, rows)}\n`])
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'KEY' },
  { title: 'ACCOUNT', least: 12 },
  { title: 'PLAN', least: 8 },
  { title: 'STATUS' },
  { title: 'CREATED', gives: 1 },
]
