import type { Loaded } from '../../config/settings.ts'
import { loadWithStandIns } from '../../config/stand-ins.ts'
import { loadedOrFail } from '../../operator/load-files.ts'
import { NO_COUNTERS } from '../../policy/counters/account-counters.ts'
import { NO_CELLS } from '../../policy/limits/rule-counter.ts'
import type { Outcome } from '../../policy/record.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { painter, usesColour } from '../../server/log/terminal-text.ts'
import { pathAsked } from '../../simulate/endpoints.ts'
import { denialOf, type Past, pastOf } from '../../simulate/past.ts'
import { readRecord } from '../../simulate/records.ts'
import { type Answer, answerOf } from '../../simulate/result.ts'
import { shownRemedy, shownStep } from '../../simulate/shown.ts'
import type { ShownPast } from '../../wire/admin/past.ts'
import { namedAsInLine } from '../../wire/decision-line.ts'
import { jsonText } from '../../wire/printable.ts'
import { foldedText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import { filesAt, findLine } from './decision-lines.ts'
import type { ExplainOptions } from './explain.ts'
import { denialText, isoText, remediesText, stepLines } from './text.ts'

/** Prints the steps of a request of the decision log as it was decided, by the files that are there now. */
export async function explainPast(requestId: string, options: ExplainOptions): Promise<void> {
  const loaded = loadedOrFail(loadWithStandIns(options.config, process.env, process.cwd()))
  const told = toldOf(loaded, pastOf(loaded, await recordOf(requestId, options.log, loaded)))
  await writeOut([options.json ? pastJson(told) : pastText(told, usesColour(process.stdout))])
  process.exitCode = options.exitCode && denialOf(told.past) ? exitCodes.bad : exitCodes.fine
}

/** The output of `svcctl explain --request --json` for a line of the decision log; undefined for any other line. */
export function explainedLine(serving: Serving, line: string): ShownPast | undefined {
  const record = readRecord(line)
  return record && shownPast(toldOf(serving, pastOf(serving, record)))
}

/** The configuration that decides: of the files, or of a gateway that serves. */
type Serving = Pick<Loaded, 'config' | 'settings'>

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

function toldOf(loaded: Serving, past: Past): PastTold {
  const denial = denialOf(past)
  const { revision } = loaded.config
  if (!denial) return { past, revision }
  return {
    past,
    revision,
    answer: answerOf(loaded, { denial, counters: NO_COUNTERS, ofRule: () => NO_CELLS, steps: [] }),
  }
}

/** A past request, and the answer its client got where it was refused. */
interface PastTold {
  readonly past: Past
  /** The revision of the files that decided it again. */
  readonly revision: string
  readonly answer?: Answer
}

/** As people read it: a numbered line for each stage, what came of it, and what would have flipped it. */
function pastText({ past, revision, answer }: PastTold, colour: boolean): string {
  const paint = painter(colour)
  const { record, again, flips, steps } = past
  const outcome = answer
    ? paint('red', foldedText(denialText(answer)))
    : paint('green', foldedText(admittedText(again ?? record.outcome)))
  const parts = [
    foldedText(titleOf(past)),
    stepLines(steps, paint).join('\n'),
    outcome,
    ...(flips.length > 0 ? [remediesText(flips.map(shownRemedy), record.facts.at)] : []),
    foldedText(noteOf(past, revision)),
    ...sessionNote(past),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The decision log has no costs, the ledger of a gateway does. */
function sessionNote(past: Past): readonly string[] {
  const denial = denialOf(past)
  if (!denial || !('type' in denial) || denial.type !== 'session_limit') return []
  return [
    foldedText(`\`svcctl requests show ${past.record.id}\` names the requests that spent the budget of the session.`),
  ]
}

/** `req_… · POST /v1/chat/completions · model svc-pro · acct_… · 2026-11-21T10:00:00Z` */
function titleOf({ record: { id, facts } }: Past): string {
  const { request, caller, at } = facts
  const asked = request.model === undefined ? 'no model named' : `model ${request.model}`
  return [
    id,
    request.kind === 'passthrough' ? request.path : `POST ${pathAsked(request)}`,
    asked,
    caller.account,
    isoText(at),
  ].join(' · ')
}

function admittedText({ model = 'none', route, granted }: Outcome): string {
  const routed = route === undefined ? [] : [`by ${route}`]
  const output = granted && granted.output > 0 ? [`max_tokens ${granted.output}`] : []
  return ['admitted', model, ...routed, ...output].join(' · ')
}

/** True if this equals the earlier decision. */
function noteOf({ record, again, sameFiles, agrees }: Past, revision: string): string {
  if (sameFiles && agrees) return `Decided by revision ${revision}; these files decide it in the same way.`
  const then = `It was ${summaryOf(record.outcome)} then.`
  if (sameFiles) {
    return `Revision ${revision} decided it with these same files, but now they decide differently: environment variables may differ. ${then}`
  }
  const files = `Revision ${record.revision} decided it, these files are revision ${revision}`
  if (agrees) return `${files}: they decide the same.`
  if (again && isSameAnswer(again, record.outcome)) return `${files}: they decide the same, by other limits.`
  const unknown = again ? '' : ' They no longer refuse it; whether the limits would have allowed it is unknown.'
  return `${files}, and decide differently.${unknown} ${then}`
}

/** Whether a client would see no difference, whatever room its limits have left. */
function isSameAnswer(one: Outcome, other: Outcome): boolean {
  const seen = ({ verdict, model, pools, denial, granted }: Outcome) =>
    JSON.stringify([verdict, model, pools, denial, granted?.output])
  return seen(one) === seen(other)
}

function summaryOf({ verdict, model, denial, pools = [] }: Outcome): string {
  if (verdict === 'allow') return `admitted: ${model}, by ${pools.join(', then ')}`
  const type = denial && 'type' in denial ? `, ${denial.type}` : ''
  return `refused: ${denial?.code}${type}`
}

const pastJson = (told: PastTold): string => `${jsonText(shownPast(told), 2)}\n`

/** As programs read it. */
function shownPast({ past, revision, answer }: PastTold): ShownPast {
  const { record, again, agrees, sameFiles, steps, flips } = past
  return {
    verdict: (again ?? record.outcome).verdict,
    at: new Date(record.facts.at).toISOString(),
    path: pathAsked(record.facts.request),
    asked: record.facts.request.model ?? null,
    revision,
    same_files: sameFiles,
    agrees,
    outcome: again ?? null,
    answer: answer ? { status: answer.status, headers: answer.headers, body: answer.body ?? null } : null,
    stages: steps.map(shownStep),
    allowed_if: flips.map(shownRemedy),
    record: namedAsInLine(record),
  }
}
