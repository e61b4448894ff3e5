import { createInterface } from 'node:readline/promises'
import { type Command, Option } from 'commander'
import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { inChunks } from '../../wire/lines.ts'
import { jsonLine, printable } from '../../wire/printable.ts'
import { withCursor, writeControl } from './printed.ts'

/** Where a question is asked: on the terminal, never on stdout, which is for data. */
export interface Asking {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** Adds `--yes` to a command that asks before it acts. */
export const asksFirst = (command: Command): Command =>
  command.addOption(new Option('-y, --yes', 'do not ask for confirmation'))

/** Rejects a command that would have to ask where there is no terminal to answer on. Call it before any lookup. */
export function mayAsk(yes: boolean | undefined, { input, output }: Asking = terminalOf()): void {
  if (yes || (input.isTTY && output.isTTY)) return
  throw new CommandFailed('✗ this needs confirmation, but there is no terminal: pass --yes', exitCodes.usage)
}

/** Asks unless that was answered with `--yes`. Rejects with CommandFailed for anything but a yes. */
export async function confirm(
  question: string,
  yes: boolean | undefined,
  { input, output }: Asking = terminalOf(),
): Promise<void> {
  if (yes) return
  const terminal = createInterface({ input, output })
  // A closed terminal counts as no.
  const answer = await withCursor(() =>
    Promise.race([
      terminal.question(`${printable(question)} [y/N] `),
      new Promise<string>(resolve => terminal.once('close', () => resolve(''))),
    ]),
  )
  terminal.close()
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandFailed('Nothing was changed.')
}

const terminalOf = (): Asking => ({ input: process.stdin, output: process.stderr })

const EVERY: Millis = 100
const WIDTH = 30

/** A progress bar on one line, which is cleared at the end. Only a terminal gets it. */
export class Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #total: number | undefined
  #done = 0
  #shownAt: Millis | undefined

  /** `total` is in bytes; undefined where the size is unknown. */
  constructor(stream: NodeJS.WriteStream, clock: Pick<Clock, 'elapsed'>, total: number | undefined) {
    this.#stream = stream
    this.#clock = clock
    this.#total = total
  }

  add(bytes: number): void {
    this.#done += bytes
    if (!this.#stream.isTTY) return
    const now = this.#clock.elapsed()
    if (this.#shownAt !== undefined && now - this.#shownAt < EVERY) return
    this.#shownAt = now
    writeControl(this.#stream, `\r${this.#text()}\u001b[K`)
  }

  end(): void {
    if (this.#shownAt !== undefined) writeControl(this.#stream, '\r\u001b[K')
  }

  #text(): string {
    if (!this.#total) return sizeText(this.#done)
    const share = Math.min(1, this.#done / this.#total)
    const full = Math.round(share * WIDTH)
    return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.round(share * 100)}% of ${sizeText(this.#total)}`
  }
}

export const sizeText = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} KB` : `${Math.round(bytes / 1e6)} MB`

/** Runs something until it ends, or until Ctrl-C or SIGTERM stops it, which is no failure. */
export async function untilStopped(run: (stop: AbortController) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  let stopped = false
  const end = () => {
    stopped = true
    stop.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  try {
    await run(stop)
  } catch (error) {
    if (!stopped) throw error
  } finally {
    stop.abort()
    for (const signal of signals) process.off(signal, end)
  }
}

/**
 * Writes lines to stdout, no faster than they are read. A reader that closes early, such as `head`, is no failure:
 * `lines` is not read any further then. Rejects with CommandFailed when they could not be written.
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
    if (error) throw new CommandFailed(`✗ cannot write to stdout: ${error.message}`)
  }
}

const written = (text: string): Promise<NodeJS.ErrnoException | null | undefined> =>
  new Promise(resolve => process.stdout.write(text, resolve))

const ignore = () => {}
