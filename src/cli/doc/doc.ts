import type { Command } from 'commander'

export interface DocOptions {
  readonly json?: boolean
}

/** Registers `svcctl doc`. Exit codes: 0 fine, 1 there is no such field. */
export function registerDoc(program: Command): void {
  program
    .command('doc')
    .summary('explain a field of the configuration')
    .description('Explains a field of the configuration: its meaning, type, unit, default and an example.')
    .argument('[field]', 'such as plans.rpm, plans.*.rpm, plans.pro.rpm or limits; default: the whole file')
    .option('--json', 'print JSON')
    .action(async (field: string | undefined, options: DocOptions) =>
      (await import('./run.ts')).doc(field ?? '', options),
    )
}
