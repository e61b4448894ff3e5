import { isAbsolute, normalize, sep } from 'node:path'
import type { Problem } from '../../config/problem.ts'
import type { Span } from '../../config/read/tree.ts'
import type { Loaded } from '../../config/settings.ts'

/** What a candidate that comes over the network would reach of the machine, and the files that serve do not. */
export function reachProblems(
  { settings, includes, fields, files: [main = ''] }: Loaded,
  serving: Loaded,
): readonly Problem[] {
  const at = (field: string): Span => fields.get(field) ?? { file: main, line: 1, column: 1, length: 1 }
  const variables = without(settings.server.variables, serving.settings.server.variables)
  const patterns = without(includes, serving.includes).filter(leadsOut)
  return [
    ...variables.map(
      (name): Problem => ({
        ...at('server.variables'),
        rule: 'forbidden-read',
        severity: 'error',
        message: `files that are applied may not add \`${name}\` to \`server.variables\``,
        hint: 'add it on the disk of the gateway, and run svcctl reload there',
      }),
    ),
    // What is found there would be told by its name.
    ...patterns.map(
      (pattern): Problem => ({
        ...at('include'),
        rule: 'forbidden-read',
        severity: 'error',
        message: `files that are applied may not include \`${pattern}\`, outside the directory of the main file`,
        hint: 'include what lies beside the main file or below, or change the files on the disk of the gateway',
      }),
    ),
  ]
}

const without = (all: readonly string[], known: readonly string[]): readonly string[] =>
  all.filter(each => !known.includes(each))

const leadsOut = (pattern: string): boolean => isAbsolute(pattern) || normalize(pattern).split(sep)[0] === '..'
