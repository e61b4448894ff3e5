import { Command } from 'commander'
import { onTestFinished, vi } from 'vitest'
import { CommandFailed } from '../../src/server/failure.ts'

/** The result of a command. */
interface Left {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one command of svcctl in this process, in a directory, as its main module would. */
export async function runCommand(
  register: (program: Command) => void,
  args: readonly string[],
  { cwd = process.cwd(), env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Left> {
  onTestFinished(() => {
    process.exitCode = undefined
  })
  const heard = process.stdout.listeners('error')
  const said = { stdout: '', stderr: '' }
  const hear = (stream: keyof typeof said) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text, encoding, done?: (error?: Error) => void) => {
      said[stream] += text
      const written: unknown = done ?? encoding
      if (typeof written === 'function') written()
      return true
    })
  const spies = [
    hear('stdout'),
    hear('stderr'),
    vi.spyOn(process, 'cwd').mockReturnValue(cwd),
    vi.spyOn(console, 'error').mockImplementation(text => {
      said.stderr += `${text}\n`
    }),
  ]
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  process.exitCode = undefined
  try {
    const program = new Command('svcctl').exitOverride()
    register(program)
    await program.parseAsync([...args], { from: 'user' })
    return { code: Number(process.exitCode ?? 0), ...said }
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    return { code: error.exitCode, stdout: said.stdout, stderr: `${said.stderr}${error.message}\n` }
  } finally {
    for (const { mockRestore } of spies) mockRestore()
    process.stdout.removeAllListeners('error')
    for (const listener of heard) process.stdout.on('error', error => listener(error))
    vi.unstubAllEnvs()
  }
}
