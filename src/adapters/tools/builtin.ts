import type { BuiltinToolSettings } from '../../config/settings.ts'
import type { Clock, ToolDefinition } from '../../gateway/ports.ts'
import { builtinDefinitions, EXPRESSION_MAX } from '../../gateway/tools/definition.ts'
import type { EpochMs } from '../../policy/config.ts'
import { CalculatorError, evaluate } from './calculator.ts'
import { currentTime } from './current-time.ts'
import type { Arguments, Outcome, Tool } from './tool.ts'

/** A tool that needs nothing but the time. */
export interface Builtin {
  readonly definition: ToolDefinition
  run(args: Arguments, now: EpochMs): Outcome
}

const calculator: Builtin = {
  definition: builtinDefinitions.calculator,
  run: ({ expression }) => {
    if (typeof expression !== 'string') return { text: 'expression must be a string', failed: true }
    if (expression.length > EXPRESSION_MAX)
      return { text: `expression must have at most ${EXPRESSION_MAX} characters`, failed: true }
    try {
      return { text: evaluate(expression), failed: false }
    } catch (error) {
      if (!(error instanceof CalculatorError)) throw error
      return { text: error.message, failed: true }
    }
  },
}

const BUILTINS: Readonly<Record<BuiltinToolSettings['builtin'], Builtin>> = { current_time: currentTime, calculator }

/** A tool of the gateway itself. */
export function builtinTool({ builtin }: BuiltinToolSettings, clock: Clock): Tool {
  const { definition, run } = BUILTINS[builtin]
  return {
    define: async () => definition,
    call: async args => run(args, clock.now()),
  }
}
