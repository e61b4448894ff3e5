import type { BuiltinToolSettings } from '../../config/settings.ts'
import type { Clock, ToolDefinition } from '../../gateway/ports.ts'
import { builtinDefinitions, EXPRESSION_MAX } from '../../gateway/tools/definition.ts'
import type { EpochMs } from '../../policy/config.ts'
import { CalculatorError, evaluate } from './calculator.ts'
import type { Arguments, Outcome, Tool } from './tool.ts'

/** A tool that the gateway itself executes. */
export function builtinTool({ builtin }: BuiltinToolSettings, clock: Clock): Tool {
  const { definition, run } = BUILTINS[builtin]
  return {
    define: async () => definition,
    call: async args => run(args, clock.now()),
  }
}

/** A function of its arguments and the time. */
interface Builtin {
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

const currentTime: Builtin = {
  definition: builtinDefinitions.current_time,
  run: ({ timezone = 'UTC' }, now) => {
    const zone = typeof timezone === 'string' ? zoned(timezone, now) : undefined
    if (zone) return { text: JSON.stringify(zone), failed: false }
    return { text: 'timezone must be the name of an IANA time zone, such as Europe/Berlin or UTC', failed: true }
  },
}

const BUILTINS: Readonly<Record<BuiltinToolSettings['builtin'], Builtin>> = { current_time: currentTime, calculator }

function zoned(timeZone: string, now: EpochMs) {
  const format = formatOf(timeZone)
  if (!format) return undefined
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  const date = `${part('year')}-${part('month')}-${part('day')}`
  const time = `${part('hour')}:${part('minute')}:${part('second')}`
  return {
    iso: `${date}T${time}${offset(part('timeZoneName'))}`,
    // The name as it was asked for: ICU would give an older one, such as Asia/Katmandu.
    timezone: timeZone,
    weekday: part('weekday'),
    unix: Math.floor(now / 1000),
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    })
  } catch {
    return undefined
  }
}

/** `GMT+01:00` is `+01:00`; some releases of ICU say `GMT` for `GMT+00:00`. */
const offset = (name: string): string => name.replace('GMT', '') || '+00:00'
