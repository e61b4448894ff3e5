import { Command } from 'commander'
import { vi } from 'vitest'
import { root } from '../simulate/example.ts'

/** Runs a command inside this process, in the directory of the project unless another is given. */
export async function runHere(register: (program: Command) => void, args: readonly string[], cwd = root) {
  vi.restoreAllMocks()
  vi.stubEnv('CLOUD_KEY', 'not-a-key')
  vi.stubEnv('FORCE_COLOR', '')
  vi.spyOn(process, 'cwd').mockReturnValue(cwd)
  vi.spyOn(process.stdout, 'on').mockReturnThis()
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((...given: unknown[]) => {
    const done = given.at(-1)
    if (typeof done === 'function') done()
    return true
  })
  const program = new Command('svcctl').exitOverride().configureOutput({ writeErr: () => {} })
  register(program)
  process.exitCode = undefined
  await program.parseAsync(args, { from: 'user' })
  return { exitCode: process.exitCode, stdout: written.mock.calls.map(([text]) => String(text)).join('') }
}
