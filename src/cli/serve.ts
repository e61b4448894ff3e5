import { type Command, Option } from 'commander'

/** Registers `svcctl serve`. */
export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the gateway')
    .addOption(new Option('-c, --config <file>', 'the configuration').default('config.yaml').env('SVCCTL_CONFIG'))
    .option(
      '--demo',
      "run on this package's own policies, with real backends on loopback and a store that is gone when you stop",
    )
    .action(async (options: { config: string; demo?: boolean }) => {
      // Only now: what serves costs more to load than a --help may take.
      const { serveConfig, serveDemo } = await import('./serving.ts')
      await (options.demo ? serveDemo() : serveConfig(options.config))
    })
}
