import { Command, CommanderError } from 'commander'
import { registerAccounts } from './accounts.ts'
import { registerAudit } from './audit.ts'
import { registerKeys } from './keys.ts'
import { registerLogin } from './login.ts'
import { registerProfile } from './profile.ts'
import { registerServe } from './serve.ts'
import { CommandFailed, exitCodes } from './talk.ts'
import { registerUsage } from './usage.ts'
import { registerValidate } from './validate.ts'
import { version } from './version.ts'

const program = new Command('svcctl')
  .description('Runs and governs an inference gateway.')
  .version(version)
  .showHelpAfterError('(svcctl --help lists what there is)')
  .exitOverride()
  .addHelpText(
    'after',
    '\nExit codes: 0 fine, 1 the thing asked about is bad, 2 wrong usage, 3 cannot reach, 4 sign in first.',
  )

registerServe(program)
registerValidate(program)
registerKeys(program)
registerAccounts(program)
registerAudit(program)
registerUsage(program)
registerLogin(program)
registerProfile(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommandFailed) {
    console.error(error.message)
    process.exitCode = error.exitCode
  } else if (error instanceof CommanderError) {
    // Commander has told what was wrong; help and version are not wrong.
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
  } else if (error instanceof Error && error.name === 'StoreUnavailable') {
    console.error(`✗ ${error.message}`)
    process.exitCode = exitCodes.unreachable
  } else throw error
}
