import { createInterface } from 'node:readline/promises'
import { type Command, Option } from 'commander'
import { CommandFailed, exitCodes } from '../server/failure.ts'

/** Where a question is asked: on the terminal, never on stdout, which is for data. */
export interface Asking {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** Adds `--yes` to a command that asks before it acts. */
export const asksFirst = (command: Command): Command => command.addOption(new Option('-y, --yes', 'do not ask: do it'))

/** Rejects a command that would have to ask where there is no terminal to answer on. Call it before any lookup. */
export function mayAsk(yes: boolean | undefined, { input, output }: Asking = terminalOf()): void {
  if (yes || (input.isTTY && output.isTTY)) return
  throw new CommandFailed('✗ this asks before it acts, and there is no terminal to ask on: add --yes', exitCodes.usage)
}

/** Asks unless that was answered with `--yes`. Rejects with CommandFailed for anything but a yes. */
export async function confirm(
  question: string,
  yes: boolean | undefined,
  { input, output }: Asking = terminalOf(),
): Promise<void> {
  if (yes) return
  const terminal = createInterface({ input, output })
  // A closed terminal says nothing more: that is no yes either.
  const answer = await Promise.race([
    terminal.question(`${question} [y/N] `),
    new Promise<string>(resolve => terminal.once('close', () => resolve(''))),
  ])
  terminal.close()
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandFailed('Nothing was changed.')
}

const terminalOf = (): Asking => ({ input: process.stdin, output: process.stderr })
