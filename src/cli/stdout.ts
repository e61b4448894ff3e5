import { inChunks } from '../wire/lines.ts'
import { CommandFailed } from './talk.ts'

/**
 * Writes lines to stdout, no faster than they are read. A reader that has enough, such as `head`, is no failure:
 * nothing more is asked of `lines` then. Rejects with CommandFailed when they could not be written.
 */
export async function writeOut(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  // Each write hears of its own error; unheard, the event would end the process.
  process.stdout.on('error', () => {})
  for await (const chunk of inChunks(lines)) {
    const error = await written(chunk)
    if (error?.code === 'EPIPE') return
    if (error) throw new CommandFailed(`✗ stdout cannot be written: ${error.message}`)
  }
}

const written = (text: string): Promise<NodeJS.ErrnoException | null | undefined> =>
  new Promise(resolve => process.stdout.write(text, resolve))
