import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { format } from '../../config/format/format.ts'
import { counted, renderText } from '../../config/format/problem-text.ts'
import type { Problem, Report } from '../../config/problem.ts'
import { parse } from '../../config/read/compose.ts'
import { readSource, type Source } from '../../config/read/disk.ts'
import { readIncludes } from '../../config/read/files.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { lookOf } from '../../server/log/terminal-text.ts'
import { replaceFile } from '../../server/owner-file.ts'
import { writeOut } from '../kit/terminal.ts'
import type { FmtOptions } from './fmt.ts'

/** Puts files in the style. Those that have a Problem stay as they are. */
export async function fmt(files: readonly string[], { config, check = false }: FmtOptions): Promise<void> {
  const problems: Problem[] = []
  const report: Report = problem => problems.push(problem)
  const sources = files.length > 0 ? named(files, report) : included(config, report)

  let changed = 0
  for (const source of sources) {
    const text = format(source, report)
    if (text === undefined || text === source.text) continue
    if (!check) rewrite(source, text)
    await writeOut([`${source.file}\n`])
    changed++
  }

  if (problems.length > 0) {
    const texts = new Map(sources.map(({ file, text }) => [file, text]))
    process.stderr.write(renderText(problems, texts, lookOf(process.stderr)))
  }
  process.stderr.write(`${verdict(changed, sources.length, check)}\n`)
  process.exitCode = problems.length > 0 || (check && changed > 0) ? exitCodes.bad : exitCodes.fine
}

/** `2 of 8 files changed` */
function verdict(changed: number, all: number, check: boolean): string {
  if (changed === 0) return `${counted(all, 'file')}, nothing to change`
  const told = check ? `would change: svcctl fmt changes ${changed === 1 ? 'it' : 'them'}` : 'changed'
  return `${changed} of ${counted(all, 'file')} ${told}`
}

const named = (files: readonly string[], report: Report): readonly Source[] =>
  [...new Map(files.map(file => [resolve(file), file]))].flatMap(
    ([path, file]) => readSource(path, process.cwd(), { file, line: 1, column: 1, length: 1 }, report) ?? [],
  )

/** A configuration and what it includes; where it is not YAML, itself alone. */
function included(config: string, report: Report): readonly Source[] {
  const cwd = process.cwd()
  const path = resolve(config)
  const main = readSource(path, cwd, undefined, report)
  if (!main) return []
  // Problems beyond the syntax are left to `validate`.
  const root = parse(main, process.env, () => {})
  const others = root ? readIncludes(main, root, { directory: dirname(path), cwd }, report) : []
  return [main, ...others.filter(source => source !== undefined)]
}

/** At once, with the mode of before; a link stays one. */
function rewrite({ file, path }: Source, text: string): void {
  try {
    const real = realpathSync(path)
    accessSync(real, constants.W_OK)
    replaceFile(real, text, statSync(real).mode & 0o7777)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ ${file} cannot be written: ${reason}`)
  }
}
