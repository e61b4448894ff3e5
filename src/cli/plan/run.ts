import type { Side } from '../../config/diff/changes.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { usesColour } from '../../server/log/terminal-text.ts'
import { warnOfDrift } from '../fleet/warn-drift.ts'
import { declaredText } from '../kit/declared-text.ts'
import { writeOut } from '../kit/terminal.ts'
import { planMarkdown } from './markdown.ts'
import { newGithub, newJson, newMarkdown, newText } from './new-text.ts'
import type { PlanOptions } from './plan.ts'
import { plannedOf } from './planned.ts'
import { type Base, candidateIn, openBase, servedBase } from './sides.ts'
import { planGithub, planJson, planText } from './text.ts'

/** Compares the candidate with what the gateway serves, or with what `--against` names. */
export async function plan(options: PlanOptions): Promise<void> {
  const { config, against, format, exitCode } = options
  const candidate = await candidateIn(config, format)
  if (!candidate) return
  const base = against === undefined ? await gatewayBase(config, candidate) : openBase(against, config, process.cwd())
  if ('lacks' in base) {
    await writeOut([NEW[format](base, declaredText(candidate.loaded.config))])
    if (exitCode) process.exitCode = exitCodes.changes
    return
  }
  try {
    const planned = await plannedOf(base, candidate, options)
    await writeOut([PRINTED[format](planned, usesColour(process.stdout))])
    if (against === undefined && format === 'text' && !planned.isSame)
      await writeOut(['Nothing was changed. Next: svcctl apply\n'])
    if (exitCode && planned.changes.length > 0) process.exitCode = exitCodes.changes
  } finally {
    base.close()
  }
}

const NEW = { json: newJson, github: newGithub, markdown: newMarkdown, text: newText }
const PRINTED = { json: planJson, github: planGithub, markdown: planMarkdown, text: planText }

async function gatewayBase(config: string, { directory }: Side): Promise<Base> {
  try {
    const endpoint = await findAdminEndpoint(config)
    await warnOfDrift(endpoint)
    return await servedBase(endpoint, directory)
  } catch (error) {
    if (!(error instanceof CommandFailed) || error.exitCode !== exitCodes.unreachable) throw error
    throw new CommandFailed(`${error.message}\n  ${NO_GATEWAY}`, exitCodes.unreachable)
  }
}

const NO_GATEWAY = 'without one, name what to compare with: --against <dir|file|revision>'
