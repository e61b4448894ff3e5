import type { Loaded } from '../../config/settings.ts'
import { loadWithStandIns } from '../../operator/stand-ins.ts'
import { NO_COUNTERS } from '../../policy/account-counters.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { loadedOrFail } from '../../server/load-or-fail.ts'
import { usesColour } from '../../server/paint.ts'
import { denialOf, type Past, pastOf } from '../../simulate/past.ts'
import { readRecord } from '../../simulate/records.ts'
import { answerOf } from '../../simulate/result.ts'
import { writeOut } from '../stdout.ts'
import { filesAt, findLine } from './decision-lines.ts'
import type { ExplainOptions } from './explain.ts'
import { type PastTold, pastJson, pastText } from './explain-past-text.ts'

/** Tells a request of the decision log as it was decided, by the files that are there now. */
export async function explainPast(requestId: string, options: ExplainOptions): Promise<void> {
  const loaded = loadedOrFail(loadWithStandIns(options.config, process.env, process.cwd()))
  const told = toldOf(loaded, pastOf(loaded, await recordOf(requestId, options.log, loaded)))
  await writeOut([options.json ? pastJson(told) : pastText(told, usesColour(process.stdout))])
  process.exitCode = options.exitCode && denialOf(told.past) ? exitCodes.bad : exitCodes.fine
}

async function recordOf(requestId: string, log: string | undefined, { settings }: Loaded) {
  const path = log ?? settings.decisions.directory
  const line = await findLine(await filesAt(path), requestId)
  if (line === undefined) {
    const off = settings.decisions.log ? '' : '; decisions.log is off'
    throw new CommandFailed(`✗ no decision of ${requestId} in ${path}${off}`)
  }
  const record = readRecord(line)
  if (!record) throw new CommandFailed(`✗ the line of ${requestId} in ${path} is broken`)
  return record
}

function toldOf(loaded: Loaded, past: Past): PastTold {
  const denial = denialOf(past)
  const { revision } = loaded.config
  if (!denial) return { past, revision }
  return { past, revision, answer: answerOf(loaded, { denial, counters: NO_COUNTERS, steps: [] }) }
}
