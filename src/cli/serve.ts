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
    .option('--watch', 'reload whenever a file of the configuration changes; SIGHUP reloads in any case')
    .action(async ({ config, demo, watch = false }: { config: string; demo?: boolean; watch?: boolean }) => {
      // Only now: what serves costs more to load than a --help may take.
      const { serveConfig, serveDemo } = await import('./serving.ts')
      await (demo ? serveDemo({ watch }) : serveConfig(config, { watch }))
    })
}
