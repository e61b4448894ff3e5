import './no-proto.ts'

import { CommanderError } from 'commander'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { guardOutput } from './kit/printed.ts'
import { svcctl } from './program.ts'

guardOutput()

// A reader that ends early (`| head`) is no failure, also of a help text. Writers of data report other errors themselves.
process.stdout.on('error', () => {})
// Nor may it change the exit code where stderr goes the same way (`2>&1 | head`).
if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {})

// Node ends a process in whose loop nothing is left, with code 13 and no word: the timer of AbortSignal.timeout, and a connection
// between two tries, do not count.
const alive = setInterval(() => {}, 3_600_000)
try {
  const program = await svcctl(process.argv.slice(2))
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommandFailed) {
    console.error(error.message)
    process.exitCode = error.exitCode
  } else if (error instanceof CommanderError) {
    // Commander has printed the error; help and --version are not errors.
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
  } else if (error instanceof Error && error.name === 'StoreUnavailable') {
    console.error(`✗ ${error.message}`)
    process.exitCode = exitCodes.unreachable
  } else {
    // A fault of svcctl. Its text may quote what it stumbled over.
    console.error(error instanceof Error ? error.stack : error)
    process.exitCode = exitCodes.bad
  }
} finally {
  clearInterval(alive)
}
