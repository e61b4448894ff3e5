import { type Command, InvalidArgumentError, Option } from 'commander'
import { CommandFailed, exitCodes } from '../../server/failure.ts'

interface ServeCommand {
  readonly config: string
  readonly demo?: boolean
  readonly port?: number
  readonly watch?: boolean
  readonly newStore?: boolean
  readonly storeCheck: boolean
}

/** Registers `svcctl serve`. */
export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the gateway')
    .addOption(new Option('-c, --config <file>', 'the configuration').default('config.yaml').env('SVCCTL_CONFIG'))
    .option(
      '--demo',
      "run on this package's own policies, with real backends on loopback and a store that is deleted when you stop",
    )
    .addOption(
      new Option(
        '--port <number>',
        'with --demo: the port of the API (default: 8080, or any free port if that is taken)',
      ).argParser(portOf),
    )
    .option('--watch', 'reload whenever a file of the configuration changes; SIGHUP always reloads')
    .option(
      '--new-store',
      'use the `store` as it is now, even if server.state_dir remembers another one, or one that was emptied since',
    )
    .option('--no-store-check', 'start without reading the pages of an embedded store first, which takes up to 5 s')
    .action(async ({ config, demo, port, watch = false, newStore = false, storeCheck }: ServeCommand) => {
      if (port !== undefined && !demo)
        throw new CommandFailed(
          '✗ --port only goes with --demo; a configuration sets its address in server.listen',
          exitCodes.usage,
        )
      // Only now: what serves costs more to load than a --help may take.
      const { serveConfig, serveDemo } = await import('./serving.ts')
      await (demo
        ? serveDemo({ watch, ...(port !== undefined && { port }) })
        : serveConfig(config, { watch, newStore, storeCheck }))
    })
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new InvalidArgumentError('a port is a number from 1 to 65535')
}
