import type { FileProblem } from '../../policy/denial.ts'
import { orNull, record, type TypeOf, text, whole, word } from '../schema/schema.ts'

/** A problem in an operator's file, with its position. */
export const FILE_PROBLEM = record(
  {
    file: text(),
    line: whole(),
    column: whole(),
    rule: text(),
    severity: word(['error', 'warning']),
    message: text(),
    hint: orNull(text()),
  },
  'FileProblem',
  "A problem in an operator's file, with its position.",
)

export const problemRecord = ({
  file,
  line,
  column,
  rule,
  severity,
  message,
  hint,
}: FileProblem): TypeOf<typeof FILE_PROBLEM> => ({
  ...{ file, line, column, rule, severity, message },
  hint: hint ?? null,
})
