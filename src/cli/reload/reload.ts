import type { Command } from 'commander'
import { asOption, type Changing, configOption, nameOf } from '../kit/options.ts'

/** Registers `svcctl reload`. Exit codes: 0 the files serve, 1 they were refused, 3 no gateway runs. */
export function registerReload(program: Command): void {
  program
    .command('reload')
    .description('reload the files of the running gateway: all of them, or none if one is wrong')
    .addOption(configOption())
    .addOption(asOption())
    .action(reload)
}

async function reload(options: Changing): Promise<void> {
  // Only now: the configuration costs more to load than a --help may take.
  const [{ findAdminEndpoint }, { reloadGateway }] = await Promise.all([
    import('../../operator/connect.ts'),
    import('../../operator/remote.ts'),
  ])
  const { revision, previous, changed, warnings } = await reloadGateway(
    await findAdminEndpoint(options.config, nameOf(options)),
  )
  for (const warning of warnings) console.error(`▲ ${warning}`)
  console.log(
    changed ? `reloaded: revision ${previous} → ${revision}` : `nothing to reload: revision ${revision} serves`,
  )
}
