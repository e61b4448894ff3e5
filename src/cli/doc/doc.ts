import type { Command } from 'commander'

export interface DocOptions {
  readonly json?: boolean
}

/** Registers `svcctl doc`. Exit codes: 0 fine, 1 there is no such field. */
export function registerDoc(program: Command): void {
  program
    .command('doc')
    .summary('say what a field of the configuration means')
    .description('Says what a field of the configuration means: its type, unit, default and an example.')
    .argument('[field]', 'such as plans.rpm, plans.*.rpm, plans.pro.rpm or limits; the whole file without one')
    .option('--json', 'print JSON')
    .action(async (field: string | undefined, options: DocOptions) =>
      (await import('./doc-run.ts')).doc(field ?? '', options),
    )
}
