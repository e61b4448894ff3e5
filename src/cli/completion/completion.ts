import { Argument, type Command } from 'commander'
import { NAME_KINDS, type NameKind, placesOf } from './places.ts'

/** Registers `svcctl completion`. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print the completion script for a shell')
    .description('Prints a script that completes commands, options and their values in a shell.')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
bash: echo 'source <(svcctl completion bash)' >> ~/.bashrc
zsh:  svcctl completion zsh > "\${fpath[1]}/_svcctl"
fish: svcctl completion fish > ~/.config/fish/completions/svcctl.fish`,
    )
    .action(async (shell: keyof typeof SCRIPTS) => {
      const [script, { writeOut }] = await Promise.all([SCRIPTS[shell](), import('../kit/terminal.ts')])
      await writeOut([script(placesOf(program))])
    })
  program
    .command('names', { hidden: true })
    .description('Prints completions for the scripts, one name per line. The words are the command line so far.')
    .addArgument(new Argument('<kind>').choices(NAME_KINDS))
    .argument('[words...]')
    .action(async (kind: NameKind, words: readonly string[]) => {
      const { names } = await import('./completed-names.ts')
      const found = await names(kind, words)
      process.stdout.write(found.map(name => `${name}\n`).join(''))
    })
}

/** The makers of the shells' scripts, each loaded only when it is asked for. */
const SCRIPTS = {
  bash: async () => (await import('./bash.ts')).bash,
  zsh: async () => (await import('./zsh.ts')).zsh,
  fish: async () => (await import('./fish.ts')).fish,
}
