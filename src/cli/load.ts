import { renderText } from '../config/frame.ts'
import { load } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import type { Loaded } from '../config/settings.ts'
import { CommandFailed, usesColour } from './talk.ts'

/** Loads a configuration and tells its warnings, or fails with every Problem in it. */
export function loadOrFail(file: string, env: Readonly<Record<string, string | undefined>> = process.env): Loaded {
  const result = load(file, env, process.cwd())
  const text = (problems: readonly Problem[]) => renderText(problems, result.sources, usesColour(process.stderr))
  if (!result.ok) throw new CommandFailed(text(result.problems))
  if (result.loaded.warnings.length > 0) console.error(text(result.loaded.warnings))
  return result.loaded
}
