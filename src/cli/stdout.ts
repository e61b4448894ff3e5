import { CommandFailed } from '../server/failure.ts'
import { inChunks } from '../wire/lines.ts'
import { jsonLine } from '../wire/printable.ts'

/**
 * Writes lines to stdout, no faster than they are read. A reader that has enough, such as `head`, is no failure:
 * nothing more is asked of `lines` then. Rejects with CommandFailed when they could not be written.
 */
export const writeOut = (lines: Iterable<string> | AsyncIterable<string>): Promise<void> => writeLive(inChunks(lines))

/** Writes one JSON object as a line. */
export const writeJson = (value: object): Promise<void> => writeOut([jsonLine(value)])

/** Writes each line as soon as it comes, where `writeOut` gathers lines. */
export async function writeLive(lines: AsyncIterable<string>): Promise<void> {
  // Each write learns of its own error; without a listener the event would end the process.
  if (!process.stdout.listeners('error').includes(ignore)) process.stdout.on('error', ignore)
  for await (const line of lines) {
    const error = await written(line)
    if (error?.code === 'EPIPE') return
    if (error) throw new CommandFailed(`✗ stdout cannot be written: ${error.message}`)
  }
}

const written = (text: string): Promise<NodeJS.ErrnoException | null | undefined> =>
  new Promise(resolve => process.stdout.write(text, resolve))

const ignore = () => {}
