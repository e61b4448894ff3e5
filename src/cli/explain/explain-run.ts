import { renderText } from '../../config/format/code-frame.ts'
import { loadWithStandIns } from '../../operator/stand-ins.ts'
import type { Config } from '../../policy/config.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { loadedOrFail } from '../../server/load-or-fail.ts'
import { usesColour } from '../../server/paint.ts'
import { world } from '../../server/world.ts'
import { answerOf } from '../../simulate/answer.ts'
import { remediesOf } from '../../simulate/flips.ts'
import type { Hypothesis } from '../../simulate/hypothesis.ts'
import { hypothesisOf } from '../../simulate/situation.ts'
import { tryOut } from '../../simulate/trial.ts'
import { writeOut } from '../stdout.ts'
import { patternBeside, readAll, testsBeside } from '../test/test-files.ts'
import type { ExplainOptions } from './explain.ts'
import { situationIn } from './explain-options.ts'
import { explanationJson, explanationText } from './explain-text.ts'

/** Takes one request the whole way, and tells it. */
export async function explain(options: ExplainOptions): Promise<void> {
  const loaded = loadedOrFail(loadWithStandIns(options.config, process.env, process.cwd()))
  const hypothesis = hypothesisIn(options, loaded.config)
  const trial = await tryOut(loaded, hypothesis)
  const remedies = await remediesOf(loaded, hypothesis, trial)
  const explained = { hypothesis, trial, answer: answerOf(loaded, trial), remedies, brand: loaded.settings.brand }
  const told = options.json ? explanationJson(explained) : explanationText(explained, usesColour(process.stdout))
  await writeOut([told])
  process.exitCode = options.exitCode && trial.denial ? exitCodes.bad : exitCodes.fine
}

function hypothesisIn(options: ExplainOptions, config: Config): Hypothesis {
  if (options.case !== undefined) return hypothesisOfCase(options.case, options.config, config)
  const hypothesis = hypothesisOf(config, situationIn(options, config, world.clock.now()))
  if (hypothesis) return hypothesis
  throw new CommandFailed('✗ who sends it? there is no default plan: say --plan, --guest or --auth', exitCodes.usage)
}

function hypothesisOfCase(name: string, file: string, config: Config): Hypothesis {
  const cwd = process.cwd()
  const { tests, problems, sources } = readAll(testsBeside(file, cwd).files, cwd, config)
  if (problems.length > 0) throw new CommandFailed(renderText(problems, sources, usesColour(process.stderr)).trimEnd())
  const found = tests.flatMap(({ cells, cases }) => [...cells, ...cases]).find(each => each.name === name)
  if (found) return found.hypothesis
  throw new CommandFailed(`✗ no case in ${patternBeside(file, cwd)} is called \`${name}\``, exitCodes.usage)
}
