import { type Command, InvalidArgumentError, Option } from 'commander'

/** How the requests that a change touches are counted. */
export interface CountOptions {
  /** The log to read, in place of that of the gateway. */
  readonly decisions?: string
  /** At most so many. */
  readonly newest: number
}

const NEWEST = 200_000

/** Adds `--decisions` and `--newest` to a command that tells whom a change touches. */
export const countsRequests = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--decisions <file|dir>',
        'the decision log whose requests are counted; without it that of the gateway, where this machine has it',
      ),
    )
    .addOption(
      new Option('--newest <requests>', 'how many requests of it are taken, newest first')
        .default(NEWEST)
        .argParser(countIn),
    )

function countIn(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a whole number from 1 on.')
}
