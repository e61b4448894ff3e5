import { loadOrFail } from './load.ts'
import { matrixJson, matrixText } from './matrix.ts'
import type { ShowOptions } from './show.ts'
import { shownConfig } from './shown/config.ts'
import { configText } from './shown/text.ts'
import { writeOut } from './stdout.ts'

/** Prints what a configuration comes to. Rejects with CommandFailed when it has Problems. */
export async function show({ config: file, matrix, json }: ShowOptions): Promise<void> {
  const loaded = loadOrFail(file)
  const { config } = loaded
  if (matrix) return writeOut([json ? `${JSON.stringify(matrixJson(config))}\n` : matrixText(config)])
  return writeOut([json ? `${JSON.stringify(shownConfig(loaded))}\n` : configText(loaded)])
}
