import { dirname, resolve } from 'node:path'
import type { Side } from '../../config/diff/named.ts'
import { renderText } from '../../config/format/code-frame.ts'
import { renderGithub, renderJson } from '../../config/format/problem-formats.ts'
import type { Load } from '../../config/load.ts'
import { lacking, loadWithStandIns } from '../../operator/stand-ins.ts'
import { exitCodes } from '../../server/failure.ts'
import { usesColour } from '../../server/paint.ts'
import { writeOut } from '../stdout.ts'
import { terminalWidth } from '../table.ts'

/** How to print what is wrong, and what changes. */
export type Format = 'text' | 'json' | 'github'

/** Reads the files of a candidate. Where they are invalid, prints their problems, sets exit code 1 and returns undefined. */
export async function candidateIn(config: string, format: Format): Promise<Side | undefined> {
  const cwd = process.cwd()
  const load = loadWithStandIns(config, process.env, cwd)
  if (!load.ok) {
    process.exitCode = exitCodes.bad
    await writeOut([problemsText(load, format)])
    return undefined
  }
  const unknown = lacking(config, process.env, cwd)
  if (unknown.length > 0)
    console.error(`▲ values that this shell does not have are not compared: ${unknown.join(', ')}`)
  return { loaded: load.loaded, directory: dirname(resolve(cwd, config)) }
}

function problemsText({ problems, sources }: Extract<Load, { ok: false }>, format: Format): string {
  if (format === 'json') return renderJson(problems)
  if (format === 'github') return renderGithub(problems)
  return renderText(problems, sources, usesColour(process.stdout), terminalWidth())
}
