import { Command, Option } from 'commander'
import { version } from '../server/version.ts'
import { registerAccounts } from './accounts/accounts.ts'
import { registerAlarms } from './alarms/alarms.ts'
import { registerApply } from './apply/apply.ts'
import { registerArchive } from './archive/archive.ts'
import { registerAudit } from './audit/audit.ts'
import { registerBackup } from './backup/backup.ts'
import { registerRestore } from './backup/restore.ts'
import { registerCompletion } from './completion/completion.ts'
import { registerConsole } from './console/console.ts'
import { registerDoc } from './doc/doc.ts'
import { registerDoctor } from './doctor/doctor.ts'
import { registerExplain } from './explain/explain.ts'
import { registerFleet } from './fleet/fleet.ts'
import { registerFmt } from './fmt/fmt.ts'
import { beForgiving } from './forgiving.ts'
import { registerImport } from './import/import.ts'
import { registerInit } from './init/init.ts'
import { registerInvoice } from './invoice/invoice.ts'
import { registerInvoices } from './invoice/invoices.ts'
import { registerKeys } from './keys/keys.ts'
import { registerLogin } from './login/login.ts'
import { registerModels } from './models/models.ts'
import { registerPlan } from './plan/plan.ts'
import { registerPools } from './pools/pools.ts'
import { registerPrices } from './prices/prices.ts'
import { registerProfile } from './profile/profile.ts'
import { registerQuota } from './quota/quota.ts'
import { registerReconcile } from './reconcile/reconcile.ts'
import { registerReload } from './reload/reload.ts'
import { registerReplay } from './replay/replay.ts'
import { registerRequests } from './requests/requests.ts'
import { registerRollback } from './rollback/rollback.ts'
import { configHere } from './serve/demo-profile.ts'
import { registerServe } from './serve/serve.ts'
import { registerShow } from './show/show.ts'
import { registerStore } from './store/store.ts'
import { registerTest } from './test/test.ts'

import { registerToken } from './token/token.ts'
import { registerUsage } from './usage/usage.ts'
import { registerValidate } from './validate/validate.ts'
import { registerVersion } from './version/version.ts'

/** The whole command line: every command with its options and help. docs/svcctl.md is generated from it. */
export function svcctl(): Command {
  const program = new Command('svcctl')
    .description('Runs and governs an inference gateway.')
    .version(version)
    // Otherwise options after `pools drain` would be read as options of `pools`.
    .enablePositionalOptions()
    .exitOverride()
    .addOption(
      new Option(
        '-p, --profile <name>',
        'the gateway of this name, as `svcctl profile` knows it (env: SVCCTL_PROFILE)',
      ),
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0   fine
  1   the thing asked about is bad
  2   wrong usage
  3   cannot reach
  4   sign in first
  5   the ledger could not be written in time (serve)
  10  there are changes (plan --exit-code, prices check --exit-code)`,
    )

  registerAll(program)
  beForgiving(program)
  followProfile(program)
  findConfig(program)
  return program
}

/** The commands in the groups and the order in which help lists them. */
function registerAll(program: Command): void {
  program.commandsGroup('Run a gateway:')
  registerServe(program)
  registerReload(program)
  registerDoctor(program)
  registerFleet(program)
  registerPools(program)
  registerAlarms(program)
  registerConsole(program)

  program.commandsGroup('Write and change its configuration:')
  registerInit(program)
  registerImport(program)
  registerValidate(program)
  registerTest(program)
  registerPlan(program)
  registerApply(program)
  registerRollback(program)
  registerExplain(program)
  registerReplay(program)
  registerShow(program)
  registerModels(program)
  registerPrices(program)
  registerDoc(program)
  registerFmt(program)

  program.commandsGroup('Customers, their requests and money:')
  registerKeys(program)
  registerAccounts(program)
  registerQuota(program)
  registerRequests(program)
  registerUsage(program)
  registerInvoice(program)
  registerInvoices(program)
  registerReconcile(program)
  registerAudit(program)

  program.commandsGroup('Coding agents:')
  registerToken(program)

  program.commandsGroup('Keep its data:')
  registerBackup(program)
  registerRestore(program)
  registerArchive(program)
  registerStore(program)

  program.commandsGroup('Set up svcctl itself:')
  registerLogin(program)
  registerProfile(program)
  registerCompletion(program)
  registerVersion(program)
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('show the help of a command')
      .helpGroup('Set up svcctl itself:'),
  )
}

/** `--profile` holds for the one command it is written for. */
function followProfile(program: Command): void {
  program.hook('preAction', () => {
    const profile: unknown = program.getOptionValue('profile')
    if (typeof profile !== 'string') return
    process.env.SVCCTL_PROFILE = profile
    // An address written for this command goes before the shell's for all.
    delete process.env.SVCCTL_ADMIN
  })
}

/** In the folder of a demo that runs, a command that names no configuration means the demo's. */
function findConfig(program: Command): void {
  program.hook('preAction', (_, command) => {
    const from = command.getOptionValueSource('config')
    const file: unknown = command.getOptionValue('config')
    if (command.name() === 'serve' || typeof file !== 'string' || (from !== 'default' && from !== 'cli')) return
    command.setOptionValueWithSource('config', configHere(file, from === 'default'), from)
  })
}
