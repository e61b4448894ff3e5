import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OperatorApi, OperatorName } from '../../operator/api.ts'
import { MONTH_FORMS, monthMeant } from '../../policy/billing/month.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { world } from '../../server/world.ts'
import type { Unreached } from '../../wire/admin/fleet.ts'
import { readSince, SINCE_FORMS } from '../../wire/admin/since.ts'
import { USER, USER_HINT } from '../../wire/admin/user.ts'
import { type Format, type FormatOptions, listsIn } from './formats.ts'

/** `--since`, 30 days by default. */
export const sinceOption = (what: string): Option =>
  new Option('--since <when>', `${what}: ${SINCE_FORMS}`).default('30d').argParser(checkedSince)

/** `--until`: what happens at that moment is not meant any more. */
export const untilOption = (what: string): Option =>
  new Option('--until <when>', `${what}, in the same form as --since`).argParser(checkedSince)

/** `--month`, instead of the two. */
export const monthOption = (): Option =>
  new Option('--month <month>', `one month: ${MONTH_FORMS}`).conflicts(['since', 'until']).argParser(monthIn)

/** The unchanged text if it means a month: the gateway's clock and zone decide which. */
export function monthIn(text: string): string {
  if (!monthMeant(text, world.clock.now())) throw new InvalidArgumentError(`Write ${MONTH_FORMS}.`)
  return text
}

/** The values of these three options. */
export interface PeriodOptions {
  /** There is one by default. */
  readonly since: string
  readonly until?: string
  readonly month?: string
}

export const periodOf = ({ since, until, month }: PeriodOptions): Partial<PeriodOptions> =>
  month === undefined ? { since, ...(until !== undefined && { until }) } : { month }

/** The unchanged text: the gateway's clock decides what it means. */
function checkedSince(text: string): string {
  if (readSince(text, world.clock.now()) === undefined) throw new InvalidArgumentError(`Write ${SINCE_FORMS}.`)
  return text
}

/** The next plan of accounts, by the plan that goes. */
export type PlanMoves = ReadonlyMap<string, string>

/** `--move-plan`, any number of times. */
export const moveOption = (): Option =>
  new Option(
    '--move-plan <old=new>',
    'move the accounts of a removed plan to another one; may be given more than once',
  ).argParser(moveIn)

function moveIn(text: string, before: PlanMoves = new Map()): PlanMoves {
  const [old = '', to = '', ...more] = text.split('=')
  if (old === '' || to === '' || more.length > 0) throw new InvalidArgumentError('Write OLD=NEW, such as free=starter.')
  if (before.has(old)) throw new InvalidArgumentError(`Plan ${old} is moved twice.`)
  return new Map(before).set(old, to)
}

/** How the requests that a change touches are counted. */
export interface CountOptions {
  /** The log to read instead of the gateway's own. */
  readonly decisions?: string
  /** The maximum. */
  readonly newest: number
}

const NEWEST = 200_000

/** Adds `--decisions` and `--newest` to a command that says whom a change touches. */
export const countsRequests = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--decisions <file|dir>',
        "the decision log to count requests in (default: the gateway's, if it is on this machine)",
      ),
    )
    .addOption(
      new Option('--newest <requests>', 'how many of its requests to use, newest first')
        .default(NEWEST)
        .argParser(countIn),
    )

function countIn(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a whole number of at least 1.')
}

/** `--limit`, of a list that grows with its history or its customers. Without it, all are listed. */
export const limitOption = (which = 'the first of the list'): Option =>
  new Option('--limit <number>', `at most this many, ${which}`).argParser(countIn)

/** The option that `limitOption` adds. */
export interface Limited {
  readonly limit?: number
}

/** Says on stderr how many rows `--limit` left out. */
export function tellLeftOut(all: number, limit: number | undefined): void {
  if (limit !== undefined && all > limit) console.error(`▲ ${all - limit} more: give a higher --limit`)
}

/** For a command that has an action and subcommands: commander would drop its own option in front of a subcommand. */
export function refuseEarlyOptions(command: Command): Command {
  return command.hook('preSubcommand', (parent, below) => {
    const early = parent.options.find(option => parent.getOptionValueSource(option.attributeName()) === 'cli')
    if (!early) return
    const name = `${parent.name()} ${below.name()}`
    throw new CommandFailed(`✗ put ${early.long} after \`${name}\``, exitCodes.usage)
  })
}

/** `--config`, of every command that speaks to a gateway or its store. */
export const configOption = (): Option =>
  new Option('-c, --config <file>', 'the configuration of the gateway').default('config.yaml').env('SVCCTL_CONFIG')

/** `--gateway`, of commands that ask what each gateway of a fleet knows by itself. */
export const gatewayOption = (what: string): Option =>
  new Option('--gateway <name>', `${what}, by its name in \`svcctl fleet\``).default('all')

/** The option that `gatewayOption` adds. */
export interface OfFleet {
  readonly gateway: string
}

/** A line for people for each gateway whose part is missing. */
export const missingLines = (unreached: readonly Unreached[]): readonly string[] =>
  unreached.map(({ gateway, problem }) => `▲ missing: the data of ${gateway}: ${problem}`)

/** The options that `ofGateway` adds. */
export interface Common {
  readonly config: string
  readonly json?: boolean
}

/** Adds what every command about keys and accounts has. */
export const ofGateway = (command: Command): Command => command.option('--json', 'print JSON').addOption(configOption())

/** Adds what every command has that lists keys, accounts and the like. */
export const listing = (command: Command, short?: Format): Command => listsIn(command, short).addOption(configOption())

/** The options that `listing` adds. */
export interface Listing extends FormatOptions {
  readonly config: string
}

/** The options that `changing` adds. */
export interface Changing extends Common {
  readonly as?: string
}

/** Adds what every command about keys, accounts and pools has that changes something. */
export const changing = (command: Command): Command => ofGateway(command).addOption(asOption())

/** `--as`, for every command whose change is audited. */
export const asOption = (): Option =>
  new Option('--as <name>', 'who makes the change, for the audit; needs the admin token').argParser(nameIn)

function nameIn(text: string): string {
  if (USER.test(text)) return text
  throw new InvalidArgumentError(`The name ${USER_HINT}.`)
}

/** The name that was given with `--as`, for the gateway. */
export const nameOf = ({ as }: { readonly as?: string }): OperatorName => (as === undefined ? {} : { as })

/** Runs a command on the gateway of a configuration, or on its store where none runs. */
export async function withOperator(
  options: { readonly config: string; readonly as?: string },
  run: (operator: OperatorApi) => Promise<void>,
): Promise<void> {
  // Only now: the configuration and the store cost more to load than a --help may take.
  const { connectOperator } = await import('../../operator/connect.ts')
  const operator = await connectOperator(options.config, nameOf(options))
  try {
    await run(operator)
  } finally {
    await operator.close()
  }
}
