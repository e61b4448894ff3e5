import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Problem } from '../problem.ts'

/** Problems in SARIF 2.1.0, which code scanning and editors read. `version` is that of this package. */
export function renderSarif(problems: readonly Problem[], version: string): string {
  const rules = [...new Set(problems.map(({ rule }) => rule))].sort()
  const run = {
    tool: { driver: { name: 'svcctl', version, rules: rules.map(id => ({ id })) } },
    columnKind: 'utf16CodeUnits',
    results: problems.map(problem => resultOf(problem, rules)),
  }
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

function resultOf(
  { file, line, column, rule, severity, message, hint, length = 1 }: Problem,
  rules: readonly string[],
) {
  return {
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level: severity,
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: artifactOf(file),
          region: { startLine: line, startColumn: column, endColumn: column + length },
        },
      },
    ],
  }
}

/** Relative to the folder in which the command runs, which code scanning takes for the root of the repository. */
function artifactOf(file: string): { readonly uri: string; readonly uriBaseId?: string } {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href }
  return { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' }
}
