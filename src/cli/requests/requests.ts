import { type Command, InvalidArgumentError, Option } from 'commander'
import { readDuration } from '../../wire/admin/since.ts'
import {
  type Common,
  gatewayOption,
  type Listing,
  listing,
  monthOption,
  type OfFleet,
  ofGateway,
  type PeriodOptions,
  sinceOption,
  untilOption,
} from '../kit/options.ts'

/** The options of `svcctl requests tail`. */
export interface TailOptions extends Common, OfFleet {
  readonly account?: string
  readonly errors?: boolean
}

/** The options of `svcctl requests list`. */
export interface ListOptions extends Listing, PeriodOptions {
  readonly account?: string
  readonly key?: string
  readonly model?: string
  readonly pool?: string
  readonly label?: string
  readonly slow?: string
  readonly errors?: boolean
  readonly kind?: 'mirror'
  readonly limit: number
}

/** Registers `svcctl requests tail|list|show`. */
export function registerRequests(program: Command): void {
  const requests = program
    .command('requests')
    .description('follow the requests of a running gateway, and find past ones')

  ofGateway(requests.command('tail'))
    .description('print a line for each request as it ends, from all gateways on the store, until Ctrl-C')
    .addOption(gatewayOption('only those of one gateway'))
    .option('--account <account>', 'only those of one account, by its id or label, or its key')
    .option('--errors', 'only what was refused, failed or broke off')
    .action(async (options: TailOptions) => {
      // Loaded late: it costs more than a --help may take.
      const { tailRequests } = await import('./run.ts')
      await tailRequests(options)
    })

  listing(requests.command('list'))
    .description(
      'list past requests: those in the ledger, and refusals that the gateways of the fleet remember; newest first, or newest last in a terminal',
    )
    .addOption(sinceOption('requests since').default('1d'))
    .addOption(untilOption('requests before'))
    .addOption(monthOption())
    .option('--account <account>', 'only those of one account, by its id or label')
    .option('--key <key>', 'only those made with this key: its id, or its full or masked value')
    .option('--model <model>', 'only those that this model answered')
    .option('--pool <pool>', 'only those that this pool answered or failed')
    .option('--label <label=value>', 'only those with this value of a label, such as project=web')
    .option('--errors', 'only what was refused, failed or broke off')
    .addOption(
      new Option(
        '--kind <kind>',
        'only those with a ledger row of this kind; mirror: a copy was sent to a mirror',
      ).choices(['mirror']),
    )
    .addOption(new Option('--slow <time>', 'only those that took at least this long, such as 5s').argParser(slowIn))
    .addOption(new Option('--limit <number>', 'at most this many, up to 100000').default(100).argParser(limitIn))
    .action(async (options: ListOptions) => {
      const { listRequests } = await import('./list-run.ts')
      await listRequests(options)
    })

  ofGateway(requests.command('show'))
    .description('show everything about a request: its outcome, its rows in the ledger, and how it was decided')
    .addOption(gatewayOption('search only the memory and the decision log of this gateway'))
    .argument('<request>', 'its id: `req_…`, which clients receive as x-request-id')
    .action(async (requestId: string, options: Common & OfFleet) => {
      const { showRequest } = await import('./show-run.ts')
      await showRequest(requestId, options)
    })
}

function slowIn(text: string): string {
  if (readDuration(text) !== undefined) return text
  throw new InvalidArgumentError('Write a duration such as 5s or 250ms.')
}

function limitIn(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= 100_000) return Number(text)
  throw new InvalidArgumentError('Write a whole number from 1 to 100000.')
}
