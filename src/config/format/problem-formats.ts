import type { Place } from '../../policy/config.ts'
import type { Problem } from '../problem.ts'

/** `{problems: […]}`, for programs; `hint` is null where there is none. */
export function renderJson(problems: readonly Problem[]): string {
  const plain = problems.map(({ file, line, column, rule, severity, message, hint }) => {
    return { file, line, column, rule, severity, message, hint: hint ?? null }
  })
  return `${JSON.stringify({ problems: plain }, null, 2)}\n`
}

/** Workflow commands, which GitHub shows as annotations in the files of a pull request. */
export const renderGithub = (problems: readonly Problem[]): string =>
  problems.map(problem => `${annotation(problem)}\n`).join('')

function annotation({ rule, severity, message, hint, ...at }: Problem): string {
  return workflowCommand(severity, at, rule, hint === undefined ? message : `${message} (${hint})`)
}

/** One annotation, without the end of its line. */
export const workflowCommand = (
  level: 'error' | 'warning' | 'notice',
  { file, line, column }: Place,
  title: string,
  text: string,
): string => `::${level} file=${property(file)},line=${line},col=${column},title=${property(title)}::${data(text)}`

/** One that belongs to no line of a file. */
export const workflowNotice = (title: string, text: string): string =>
  `::notice title=${property(title)}::${data(text)}`

const data = (text: string): string => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
