import type { Command } from 'commander'
import type { ShownKey } from '../wire/key.ts'
import type { Control } from './control/control.ts'
import { CommandFailed, table } from './talk.ts'
import { configOption, withControl } from './with-control.ts'

interface Common {
  readonly config: string
  readonly json?: boolean
}

/** Registers `svcctl keys mint|list|revoke`. */
export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('mint, list and revoke keys')

  keys
    .command('mint')
    .description('make a key for an account; the full value is shown once')
    .requiredOption('--plan <slug>', 'the plan of the account')
    .requiredOption('--account <label>', 'whose key it is, such as an e-mail address')
    .option('--if-missing', 'exit 0 when the account has a key already')
    .option('--json', 'print JSON')
    .addOption(configOption())
    .action((options: Common & { plan: string; account: string; ifMissing?: boolean }) =>
      withControl(options, control => mint(control, options)),
    )

  keys
    .command('list')
    .description('list keys, masked')
    .option('--json', 'print JSON')
    .addOption(configOption())
    .action((options: Common) => withControl(options, control => list(control, options)))

  keys
    .command('revoke')
    .description('end a key now')
    .argument('<key>', 'its full or masked value')
    .option('--json', 'print JSON')
    .addOption(configOption())
    .action((key: string, options: Common) =>
      withControl(options, async control => {
        const revoked = await control.revoke(key)
        if (options.json) console.log(JSON.stringify({ ...revoked, revoked: true }))
        else console.error(`✓ ${revoked.key} of ${revoked.label} is revoked: the next request with it is refused.`)
      }),
    )
}

async function mint(
  control: Control,
  options: { plan: string; account: string; ifMissing?: boolean; json?: boolean },
): Promise<void> {
  const { key, value, baseUrl } = await control.mint(options.account, options.plan)
  if (value === undefined) {
    // Nothing on stdout: KEY=$(svcctl keys mint …) must never hold a mask.
    const message = `${key.label} has the key ${key.key} on plan ${key.plan} already. For a new value: svcctl keys revoke ${key.key}, then mint again.`
    if (!options.ifMissing) throw new CommandFailed(message)
    console.error(message)
    return
  }
  const text = options.json
    ? JSON.stringify({ ...key, value })
    : process.stdout.isTTY
      ? mintedText(key, value, baseUrl)
      : value
  await hand(text).catch((error: Error) => {
    throw new CommandFailed(
      `✗ the key could not be written (${error.message}) and nobody has it: svcctl keys revoke ${key.key}`,
    )
  })
}

/** Writes a line to stdout. Rejects when it did not get there: what is shown once must not be lost in silence. */
function hand(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject)
    process.stdout.write(`${text}\n`, error => (error ? reject(error) : resolve()))
  })
}

const mintedText = (
  key: ShownKey,
  value: string,
  baseUrl: string,
): string => `✓ Key for ${key.label} on plan ${key.plan}

  ${value}   (shown once; only a hash is kept)

  export OPENAI_BASE_URL=${baseUrl}
  export OPENAI_API_KEY=${value}`

async function list(control: Control, { json }: Common): Promise<void> {
  const keys = await control.list()
  if (json) console.log(JSON.stringify({ object: 'list', data: keys }))
  else if (keys.length === 0) console.error('No keys yet. Make one: svcctl keys mint --plan PLAN --account NAME')
  else {
    const rows = keys.map(key => [key.key, key.label, key.plan, key.status, new Date(key.created * 1000).toISOString()])
    console.log(table([['KEY', 'ACCOUNT', 'PLAN', 'STATUS', 'CREATED'], ...rows]))
  }
}
