import type { Command } from 'commander'
import type { MintedByOperator, NewOwner, OperatorApi, WishedKey } from '../../operator/api.ts'
import { CommandFailed } from '../../server/failure.ts'
import { jsonText } from '../../wire/printable.ts'
import { wrong } from '../accounts/tell.ts'
import { forPrograms } from '../kit/formats.ts'
import {
  type Changing,
  type Common,
  changing,
  type Limited,
  type Listing,
  limitOption,
  listing,
  ofGateway,
  tellLeftOut,
  withOperator,
} from '../kit/options.ts'
import { asksFirst, confirm, mayAsk, writeJson, writeOut } from '../kit/terminal.ts'
import { keyName, keysTable, keyText, mintedText } from './text.ts'
import { type WishOptions, wishOf, withWish } from './wish.ts'

interface MintOptions extends Changing, WishOptions {
  readonly plan?: string
  readonly account?: string
  readonly guest?: string
  readonly ifMissing?: boolean
}

interface Sure extends Changing {
  readonly yes?: boolean
}

interface RotateOptions extends Sure {
  readonly grace?: string
  readonly expires?: string
}

interface ListOptions extends Listing, Limited {
  readonly account?: string
  readonly expiring?: string
}

const NAMED = 'its id, its full or masked value, or its account by id or label'

/** Registers `svcctl keys mint|list|show|rotate|revoke`. */
export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('mint, list, show, rotate and revoke keys')

  withWish(changing(keys.command('mint')))
    .description('mint a key; the full value is shown once, that of a device whenever it is requested')
    .option('--plan <slug>', 'the plan of the account; not needed for an account named by its id, which keeps its plan')
    .option('--account <name>', 'whose key it is: an id, or a label such as an e-mail address')
    .option('--guest <device>', "the key of a device, instead of an account's")
    .option('--if-missing', 'exit 0 if the account already has the key')
    .action(async (options: MintOptions) => {
      const wish = await wishOf(options)
      const owner = ownerOf(options, wish)
      return withOperator(options, operator => mint(operator, owner, wish, options))
    })

  listing(keys.command('list'))
    .description('list keys, masked')
    .option('--account <account>', 'only those of one account, by its id or label')
    .option('--expiring <time>', 'only working keys that expire within a time such as 14d, soonest first')
    .addOption(limitOption())
    .action((options: ListOptions) => withOperator(options, operator => list(operator, options)))

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
    .description(
      'replace a key by a new one with the same name, expiry and restrictions; plan and usage stay unchanged',
    )
    .argument('<key>', NAMED)
    .option('--grace <time>', 'keep the old key working for a time such as 24h; `keys revoke` ends it at once')
    .option('--expires <time>', 'let the new key expire after a time such as 90d, instead of when the old one would')
    .action((named: string, options: RotateOptions) => {
      mayAsk(options.yes)
      return withOperator(options, operator => rotate(operator, named, options))
    })

  asksFirst(changing(keys.command('revoke')))
    .description('revoke a key at once')
    .argument('<key>', NAMED)
    .action((named: string, options: Sure) => {
      mayAsk(options.yes)
      return withOperator(options, operator => revoke(operator, named, options))
    })
}

function ownerOf({ plan, account, guest }: MintOptions, wish: WishedKey): NewOwner {
  if (guest !== undefined) {
    if (plan !== undefined || account !== undefined || Object.keys(wish).length > 0)
      throw wrong('--guest cannot be combined: guests have one plan, and no account')
    return { device: guest }
  }
  if (account === undefined) throw wrong('name an account with --account, or a device with --guest')
  // Naming a key implies an existing account; otherwise the gateway reports that it needs a plan.
  if (plan === undefined && wish.name === undefined && !account.startsWith('acct_'))
    throw wrong('--plan is needed: the account may be a new one')
  return { account, ...(plan !== undefined && { plan }) }
}

async function mint(operator: OperatorApi, owner: NewOwner, wish: WishedKey, options: MintOptions): Promise<void> {
  const minted = await operator.mint(owner, wish)
  if (minted.value !== undefined) return handOver(minted, minted.value, options)
  // Nothing on stdout: KEY=$(svcctl keys mint …) must never hold a mask.
  const { key } = minted
  const message = `${key.label} has the key ${keyName(key)} on plan ${key.plan} already. For a new value: svcctl keys rotate ${key.key}`
  if (!options.ifMissing) throw new CommandFailed(`✗ ${message}`)
  console.error(message)
}

async function rotate(operator: OperatorApi, named: string, options: RotateOptions): Promise<void> {
  const { grace, expires, yes } = options
  if (!yes) {
    const key = await operator.showKey(named)
    const end = grace === undefined ? 'The next request with it is refused' : `It works for another ${grace}`
    await confirm(`Rotate ${keyName(key)} of ${key.label}? ${end}.`, yes)
  }
  const rotated = await operator.rotate(named, {
    ...(grace !== undefined && { grace }),
    ...(expires !== undefined && { expires_in: expires }),
  })
  if (rotated.value === undefined) throw new TypeError('the gateway rotated the key but sent no value')
  await handOver(rotated, rotated.value, options)
}

async function revoke(operator: OperatorApi, named: string, options: Sure): Promise<void> {
  if (!options.yes) {
    const key = await operator.showKey(named)
    await confirm(`Revoke ${keyName(key)} of ${key.label}? The next request with it is refused.`, options.yes)
  }
  const revoked = await operator.revoke(named)
  if (options.json) return writeJson({ ...revoked, revoked: true })
  console.error(`✓ ${keyName(revoked)} of ${revoked.label} is revoked: the next request with it is refused.`)
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

async function list(operator: OperatorApi, { account, expiring, limit, ...options }: ListOptions): Promise<void> {
  const query = {
    ...(account !== undefined && { account }),
    ...(expiring !== undefined && { expiring_in: expiring }),
  }
  const isAll = Object.keys(query).length === 0
  const all = await (isAll ? operator.list() : operator.list(query))
  const keys = all.slice(0, limit)
  tellLeftOut(all.length, limit)
  const written = forPrograms(options, { object: 'list', data: keys })
  if (written !== undefined) return writeOut([written])
  if (keys.length > 0) return writeOut([`${keysTable(keys)}\n`])
  console.error(isAll ? 'No keys yet. Make one: svcctl keys mint --plan PLAN --account NAME' : 'No such keys.')
}
