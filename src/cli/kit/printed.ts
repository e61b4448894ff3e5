import { usesColour } from '../../server/log/terminal-text.ts'
import { printable } from '../../wire/printable.ts'

/**
 * Makes all that svcctl prints printable, on stdout and stderr: names and texts come from files, accounts, backups and
 * backends, and none of them may move the cursor, rename the terminal or turn the line around. It is done at the one place
 * that no command can forget. The colours of svcctl itself stay, where there are colours.
 */
export function guardOutput(streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) {
    if (guarded.has(stream)) continue
    const write = stream.write.bind(stream)
    guarded.set(stream, write)
    stream.write = ((chunk: unknown, ...more: never[]) =>
      write(
        (typeof chunk === 'string' && !movesCursor ? shown(chunk, usesColour(stream)) : chunk) as string,
        ...more,
      )) as Write
  }
}

/** Writes what moves the cursor on purpose: a bar that is drawn again in its place. */
export function writeControl(stream: NodeJS.WriteStream, text: string): void {
  const write = guarded.get(stream) ?? stream.write.bind(stream)
  write(text)
}

/** Runs what moves the cursor itself, such as a live view or a question: it makes its texts printable one by one. */
export async function withCursor<T>(run: () => Promise<T>): Promise<T> {
  movesCursor = true
  try {
    return await run()
  } finally {
    movesCursor = false
  }
}

type Write = NodeJS.WriteStream['write']

/** How a stream wrote before. */
const guarded = new WeakMap<NodeJS.WriteStream, Write>()
let movesCursor = false

const shown = (text: string, colour: boolean): string =>
  colour
    ? text
        .split(OWN_COLOURS)
        .map((part, place) => (place % 2 === 1 ? part : printable(part)))
        .join('')
    : printable(text)

/** Every second part between them is a colour. */
const OWN_COLOURS = new RegExp(`(${String.fromCharCode(27)}\\[(?:0|1|2|31|32|35)m)`)
