import { counted } from '../../config/format/code-frame.ts'
import { type Load, load } from '../../config/load.ts'
import type { Problem } from '../../config/problem.ts'
import type { Env } from '../../config/read/scalar.ts'
import type { Loaded } from '../../config/settings.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import { loadWithStandIns } from '../../operator/stand-ins.ts'

interface Checked extends Pick<Load, 'sources' | 'paths'> {
  readonly finding: Finding
  /** Undefined where nothing can be made of the files; with stand-ins for variables that are not set. */
  readonly loaded?: Loaded
}

/** Loads a configuration as the gateway would. */
export function checkConfig(file: string, env: Env, cwd: string): Checked {
  const result = load(file, env, cwd)
  const { sources, paths } = result
  const common = { check: 'config', subject: file }
  if (result.ok) {
    const { warnings } = result.loaded
    const text = `${counted(sources.size, 'file')}, no errors${warnings.length > 0 ? `, ${counted(warnings.length, 'warning')} (svcctl validate)` : ''}`
    return { finding: { ...common, state: 'ok', text }, loaded: result.loaded, sources, paths }
  }
  const errors = result.problems.filter(({ severity }) => severity === 'error')
  const [first] = errors
  const text = `${counted(errors.length, 'error')}${first ? `: ${problemText(first)}` : ''}`
  const hint = `svcctl validate shows ${errors.length === 1 ? 'it' : 'all'}${first?.hint ? `. Here: ${first.hint}` : ''}`
  const otherwise = loadWithStandIns(file, env, cwd)
  const rest = otherwise.ok ? { loaded: otherwise.loaded } : {}
  return { finding: { ...common, state: 'problem', text, hint }, ...rest, sources, paths }
}

const problemText = ({ file, line, column, message }: Problem): string => `${file}:${line}:${column}  ${message}`
