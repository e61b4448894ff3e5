import { loadToShow } from '../../operator/load-without-secrets.ts'
import { writeJson, writeOut } from '../stdout.ts'
import { configText } from './config-text.ts'
import { matrixJson, matrixText } from './matrix.ts'
import type { ShowOptions } from './show.ts'
import { shownConfig } from './shown-config.ts'

/** Prints what a configuration comes to. Rejects with CommandFailed when it has Problems. */
export async function show({ config: file, matrix, json }: ShowOptions): Promise<void> {
  const loaded = loadToShow(file)
  const { config } = loaded
  if (matrix) return json ? writeJson(matrixJson(config)) : writeOut([matrixText(config)])
  return json ? writeJson(shownConfig(loaded)) : writeOut([configText(loaded)])
}
