import { renderText } from '../config/format/problem-text.ts'
import type { Load } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import type { Loaded } from '../config/settings.ts'
import { CommandFailed } from './failure.ts'
import { usesColour } from './paint.ts'

/** The loaded configuration, after its warnings are printed. Throws CommandFailed with every Problem of an invalid one. */
export function loadedOrFail(result: Load): Loaded {
  const text = (problems: readonly Problem[]) =>
    renderText(problems, result.sources, usesColour(process.stderr)).trimEnd()
  if (!result.ok) throw new CommandFailed(text(result.problems))
  if (result.loaded.warnings.length > 0) console.error(text(result.loaded.warnings))
  return result.loaded
}
