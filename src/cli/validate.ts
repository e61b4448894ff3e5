import { type Command, Option } from 'commander'
import type { Load } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import { exitCodes } from './talk.ts'

interface Options {
  readonly config: string
  readonly strict?: boolean
  readonly format: string
}

/** `svcctl validate`: the real load without starting. Exit codes: 0 fine, 1 Problems, 2 wrong usage. */
export function registerValidate(program: Command): void {
  program
    .command('validate')
    .summary('check the configuration')
    .description('Checks the configuration and all it includes, as the server would before it starts.')
    .option('-c, --config <file>', 'the main configuration file', 'config.yaml')
    .option('--strict', 'fail on warnings too')
    .addOption(
      new Option('--format <format>', 'how to print problems').choices(['text', 'json', 'github']).default('text'),
    )
    .action(validate)
}

async function validate({ config, strict = false, format }: Options): Promise<void> {
  // The schema is compiled on import, which other commands need not wait for.
  const { load } = await import('../config/load.ts')
  const started = performance.now()
  const result = load(config, process.env, process.cwd())
  const problems = result.ok ? result.loaded.warnings : result.problems
  process.stdout.write(await rendered(config, result, problems, format, performance.now() - started))
  process.exitCode = result.ok && !(strict && problems.length > 0) ? exitCodes.fine : exitCodes.bad
}

async function rendered(config: string, result: Load, problems: readonly Problem[], format: string, took: number) {
  const { renderGithub, renderJson } = await import('../config/report.ts')
  if (format === 'json') return renderJson(problems)
  if (format === 'github') return renderGithub(problems)
  const { counted, renderText } = await import('../config/frame.ts')
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR
  const report = problems.length > 0 ? renderText(problems, result.sources, colour) : ''
  if (!result.ok) return report
  const { plans, models, aliases, pools } = result.loaded.config
  const parts = Object.entries({ plan: plans, model: models, alias: aliases, pool: pools })
  const declared = parts.map(([noun, { size }]) => counted(size, noun)).join(', ')
  return `${report}${config} is valid: ${declared} (${Math.round(took)} ms)\n`
}
