import { renderText } from '../../config/format/problem-text.ts'
import { loadedOrFail, loadWithStandIns } from '../../operator/load-files.ts'
import type { Config } from '../../policy/config.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { usesColour } from '../../server/paint.ts'
import { world } from '../../server/world.ts'
import { remediesOf } from '../../simulate/flips.ts'
import { answerOf } from '../../simulate/result.ts'
import type { Scenario } from '../../simulate/scenario.ts'
import { scenarioOf } from '../../simulate/scenario.ts'
import { simulate } from '../../simulate/simulation.ts'
import { writeOut } from '../stdout.ts'
import { patternBeside, readAll, testsBeside } from '../test/test-files.ts'
import type { ExplainOptions } from './explain.ts'
import { situationIn } from './explain-options.ts'
import { explanationJson, explanationText } from './explain-text.ts'

/** Takes one request the whole way, and tells it. */
export async function explain(options: ExplainOptions): Promise<void> {
  const loaded = loadedOrFail(loadWithStandIns(options.config, process.env, process.cwd()))
  const scenario = hypothesisIn(options, loaded.config)
  const simulation = await simulate(loaded, scenario)
  const remedies = await remediesOf(loaded, scenario, simulation)
  const explained = {
    scenario,
    simulation,
    answer: answerOf(loaded, simulation),
    remedies,
    brand: loaded.settings.brand,
  }
  const told = options.json ? explanationJson(explained) : explanationText(explained, usesColour(process.stdout))
  await writeOut([told])
  process.exitCode = options.exitCode && simulation.denial ? exitCodes.bad : exitCodes.fine
}

function hypothesisIn(options: ExplainOptions, config: Config): Scenario {
  if (options.case !== undefined) return hypothesisOfCase(options.case, options.config, config)
  const scenario = scenarioOf(config, situationIn(options, config, world.clock.now()))
  if (scenario) return scenario
  throw new CommandFailed('✗ who sends it? there is no default plan: say --plan, --guest or --auth', exitCodes.usage)
}

function hypothesisOfCase(name: string, file: string, config: Config): Scenario {
  const cwd = process.cwd()
  const { tests, problems, sources } = readAll(testsBeside(file, cwd).files, cwd, config)
  if (problems.length > 0) throw new CommandFailed(renderText(problems, sources, usesColour(process.stderr)).trimEnd())
  const found = tests.flatMap(({ cells, cases }) => [...cells, ...cases]).find(each => each.name === name)
  if (found) return found.scenario
  throw new CommandFailed(`✗ no case in ${patternBeside(file, cwd)} is called \`${name}\``, exitCodes.usage)
}
