import { type Command, Option } from 'commander'
import type { Load } from '../../config/load.ts'
import type { Problem } from '../../config/problem.ts'
import type { Loaded } from '../../config/settings.ts'
import { exitCodes } from '../../server/failure.ts'
import { lookOf } from '../../server/log/terminal-text.ts'
import { version } from '../../server/version.ts'
import { foldedText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'

interface Options {
  readonly config: string
  readonly strict?: boolean
  readonly format: string
  readonly allowMissingEnv?: boolean
}

/** `svcctl validate`: the real load without starting. Exit codes: 0 fine, 1 Problems, 2 wrong usage. */
export function registerValidate(program: Command): void {
  program
    .command('validate')
    .summary('check the configuration')
    .description('Checks the configuration and all included files, as the server does before it starts.')
    .addOption(
      new Option('-c, --config <file>', 'the main configuration file').default('config.yaml').env('SVCCTL_CONFIG'),
    )
    .option('--strict', 'fail on warnings too')
    .option(
      '--allow-missing-env',
      'accept unset variables and missing secret files, for machines without secrets, such as CI',
    )
    .addOption(
      new Option('--format <format>', 'how to print problems')
        .choices(['text', 'json', 'github', 'sarif'])
        .default('text'),
    )
    .addOption(new Option('--json', 'print them as JSON').implies({ format: 'json' }))
    .action(validate)
}

async function validate({ config, strict = false, format, allowMissingEnv = false }: Options): Promise<void> {
  // The schema is compiled on import, which other commands need not wait for.
  const { load } = allowMissingEnv ? await standIns() : await import('../../config/load.ts')
  const started = performance.now()
  const result = load(config, process.env, process.cwd())
  const took = performance.now() - started
  const problems = result.ok ? result.loaded.warnings : result.problems
  const valid = result.ok && !(strict && problems.length > 0)
  const told = [await report(problems, result.sources, format)]
  if (valid && format === 'text') told.push(await verdict(config, result.loaded, took))
  await writeOut(told)
  process.exitCode = valid ? exitCodes.fine : exitCodes.bad
}

const standIns = async () => ({ load: (await import('../../config/stand-ins.ts')).loadWithStandIns })

async function report(problems: readonly Problem[], sources: Load['sources'], format: string): Promise<string> {
  const { renderGithub, renderJson } = await import('../../config/format/problem-text.ts')
  if (format === 'json') return renderJson(problems)
  if (format === 'github') return renderGithub(problems)
  if (format === 'sarif') return (await import('../../config/format/problem-sarif.ts')).renderSarif(problems, version)
  const { renderText } = await import('../../config/format/problem-text.ts')
  return problems.length > 0 ? renderText(problems, sources, lookOf(process.stdout)) : ''
}

/** `config.yaml is valid: 3 plans, 2 models, 1 alias, 4 pools (12 ms)` */
async function verdict(config: string, loaded: Loaded, took: number) {
  const { declaredText } = await import('../kit/declared-text.ts')
  return `${foldedText(`${config} is valid: ${declaredText(loaded.config)} (${Math.round(took)} ms)`)}\n`
}
