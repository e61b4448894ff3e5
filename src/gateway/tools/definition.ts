import type { BuiltinToolSettings, ToolSettings } from '../../config/settings.ts'
import type { ToolDefinition } from '../ports.ts'

/** The longest expression that the calculator takes, in characters. */
export const EXPRESSION_MAX = 1000

/** The definitions, for models, of the tools that are a part of the gateway. */
export const builtinDefinitions: Readonly<Record<BuiltinToolSettings['builtin'], ToolDefinition>> = {
  current_time: {
    description: 'Tells the current date, time and weekday, in a time zone.',
    parameters: {
      type: 'object',
      properties: {
        timezone: {
          type: 'string',
          description: 'An IANA time zone such as Europe/Berlin; UTC when it is missing.',
        },
      },
      additionalProperties: false,
    },
  },
  calculator: {
    description:
      'Computes an arithmetic expression. Knows + - * / % (remainder) ^ and parentheses, pi and e, and the functions ' +
      'sqrt, abs, round, floor, ceil, min, max, ln, log10, exp, sin, cos and tan (of radians). About 15 digits are exact.',
    parameters: {
      type: 'object',
      properties: {
        expression: { type: 'string', maxLength: EXPRESSION_MAX, description: 'Such as (1 + 2) * sqrt(9) / 4' },
      },
      required: ['expression'],
      additionalProperties: false,
    },
  },
}

/** A tool's definition from the files alone; undefined for one whose server has to be asked. */
export function definitionInFiles(tool: ToolSettings): ToolDefinition | undefined {
  if (tool.kind === 'mcp') return undefined
  if (tool.kind === 'builtin') return builtinDefinitions[tool.builtin]
  const { description, parameters } = tool
  return { description, parameters }
}

/** The bytes of a definition beside its text: names, braces and quotes of the function it becomes. */
const FRAME_BYTES = 128

/** The bytes that a definition adds to a prompt, in UTF-8. */
export const promptBytesOf = (definition: ToolDefinition): number =>
  FRAME_BYTES + Buffer.byteLength(JSON.stringify(definition))
