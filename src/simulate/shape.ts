import { counted } from '../config/format/code-frame.ts'
import type { Report } from '../config/problem.ts'
import { keyAt, type MapNode, nodeAt, type Path } from '../config/read/tree.ts'
import type { Config } from '../policy/config.ts'
import type { Case, TestsFile } from './file.ts'
import { hypothesisOf, SPOKEN, situationOf } from './situation.ts'

type Refuse = (path: Path, rule: string, message: string, hint: string) => void

/** Checks that a schema cannot express: fields that exclude each other, rows of the wrong length, repeated names, a request without a sender. */
export function checkShape(root: MapNode, data: TestsFile, config: Config, report: Report): void {
  const refuse: Refuse = (path, rule, message, hint) => {
    const span = keyAt(root, path) ?? nodeAt(root, path)?.span ?? root.span
    report({ ...span, rule, severity: 'error', message, hint })
  }
  checkRows(data, refuse)
  checkCases(data, config, refuse)
  for (const [index, { never, always }] of (data.invariants ?? []).entries()) {
    if ((never === undefined) === (always === undefined))
      refuse(['invariants', index], 'no-claim', 'an invariant has one of `never` and `always`', 'write one of them')
  }
}

function checkRows({ matrix }: TestsFile, refuse: Refuse): void {
  const width = matrix?.plans.length ?? 0
  for (const [model, row] of Object.entries(matrix ?? {})) {
    if (row.length === width) continue
    refuse(
      ['matrix', model],
      'row-length',
      `\`${model}\` has ${counted(row.length, 'cell')} for ${width} plans`,
      'write one each',
    )
  }
}

function checkCases({ given = {}, cases = [] }: TestsFile, config: Config, refuse: Refuse): void {
  const names = new Set<string>()
  for (const [index, each] of cases.entries()) {
    const at = ['cases', index, 'name']
    if (names.has(each.name)) refuse(at, 'duplicate-name', `two cases are called \`${each.name}\``, 'rename one')
    names.add(each.name)
    refuseDouble(each, index, refuse)
    if (!hypothesisOf(config, situationOf(config, given, each)))
      refuse(at, 'no-plan', 'no plan and no bearer sends the request', 'write `plan` or `auth`, here or under `given`')
  }
}

/** One caller and one request; a whole request says all of it. */
function refuseDouble(each: Case, index: number, refuse: Refuse): void {
  const second = SPOKEN.filter(field => each[field] !== undefined)[1]
  if (second) refuse(['cases', index, second], 'two-requests', `\`${second}\` is a second request`, ONE_REQUEST)
  if (each.plan !== undefined && each.auth !== undefined)
    refuse(['cases', index, 'auth'], 'two-callers', '`auth` stands beside `plan`', 'write one of them')
  for (const field of each.request ? (['model', 'max_tokens', 'stream', 'headers'] as const) : [])
    if (each[field] !== undefined)
      refuse(['cases', index, field], 'two-requests', `\`${field}\` stands beside \`request\``, 'write it in `request`')
}

const ONE_REQUEST = 'write one of `chat`, `chat_tokens`, `input`, `prompt` and `request`'
