import { dirname, resolve } from 'node:path'
import { diff } from '../config/diff/diff.ts'
import { renderText } from '../config/frame.ts'
import type { Load } from '../config/load.ts'
import { renderGithub, renderJson } from '../config/report.ts'
import type { PlanOptions } from './plan.ts'
import { openBase } from './plan-base.ts'
import { changesGithub, changesJson, changesText } from './plan-text.ts'
import { hasStandIn, lacking, loadWithStandIns } from './stand-ins.ts'
import { writeOut } from './stdout.ts'
import { CommandFailed, exitCodes, usesColour } from './talk.ts'

/** Compares the candidate with what `--against` names. */
export async function plan(options: PlanOptions): Promise<void> {
  const { config, against, format } = options
  const cwd = process.cwd()
  const candidate = loadWithStandIns(config, process.env, cwd)
  if (!candidate.ok) {
    process.exitCode = exitCodes.bad
    return writeOut([problemsText(candidate, format)])
  }
  const base = openBase(against, config, cwd)
  try {
    const { load } = base
    if (!load.ok) throw new CommandFailed(`✗ ${against} is not valid\n\n${renderText(load.problems, load.sources)}`)
    const changes = diff({
      before: { loaded: load.loaded, directory: base.directory },
      after: { loaded: candidate.loaded, directory: dirname(resolve(cwd, config)) },
      isUnknown: hasStandIn,
    })
    const unknown = lacking(config, process.env, cwd)
    if (unknown.length > 0) console.error(`▲ nothing is said of what is not known here: ${unknown.join(', ')}`)
    const printed = { json: changesJson, github: changesGithub, text: changesText }[format]
    await writeOut([printed(changes, { against, colour: usesColour(process.stdout) })])
    if (options.exitCode && changes.length > 0) process.exitCode = exitCodes.changes
  } finally {
    base.close()
  }
}

function problemsText({ problems, sources }: Extract<Load, { ok: false }>, format: PlanOptions['format']): string {
  if (format === 'json') return renderJson(problems)
  if (format === 'github') return renderGithub(problems)
  return renderText(problems, sources, usesColour(process.stdout))
}
