import { namedAsInLine } from '../../policy/decision-line.ts'
import type { Outcome } from '../../policy/record.ts'
import { painter } from '../../server/paint.ts'
import { pathAsked } from '../../simulate/endpoints.ts'
import type { Past } from '../../simulate/past.ts'
import type { Answer } from '../../simulate/result.ts'
import { jsonText } from '../../wire/printable.ts'
import { foldedText } from '../placed.ts'
import { stepRecord } from '../test/test-text.ts'
import { denialText, isoText, remediesText, remedyRecord, stepLines } from './explain-text.ts'

/** A past request, and the answer its client got where it was refused. */
export interface PastTold {
  readonly past: Past
  /** Of the files that decided it again. */
  readonly revision: string
  readonly answer?: Answer
}

/** As people read it: a numbered line for each stage, what came of it, and what would have flipped it. */
export function pastText({ past, revision, answer }: PastTold, colour: boolean): string {
  const paint = painter(colour)
  const { record, again, flips, steps } = past
  const outcome = answer
    ? paint('red', foldedText(denialText(answer)))
    : paint('green', foldedText(admittedText(again ?? record.outcome)))
  const parts = [
    foldedText(titleOf(past)),
    stepLines(steps, paint).join('\n'),
    outcome,
    ...(flips.length > 0 ? [remediesText(flips, record.facts.at)] : []),
    foldedText(noteOf(past, revision)),
  ]
  return `${parts.join('\n\n')}\n`
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

/** Whether this is what was decided then. */
function noteOf({ record, again, sameFiles, agrees }: Past, revision: string): string {
  if (sameFiles && agrees) return `Decided by revision ${revision}, and again to the same bytes.`
  const then = `It was ${summaryOf(record.outcome)} then.`
  if (sameFiles) {
    return `Revision ${revision} decided it and these are its files, but they come to something else now: variables of the environment may differ. ${then}`
  }
  const files = `Revision ${record.revision} decided it, these files are revision ${revision}`
  if (agrees) return `${files}: they come to the same.`
  const unknown = again ? '' : ' They no longer refuse it, and what the limits would have said is not known.'
  return `${files}, and come to something else.${unknown} ${then}`
}

function summaryOf({ verdict, model, denial, pools = [] }: Outcome): string {
  if (verdict === 'allow') return `admitted: ${model}, by ${pools.join(', then ')}`
  const type = denial && 'type' in denial ? `, ${denial.type}` : ''
  return `refused: ${denial?.code}${type}`
}

/** As programs read it; `record` is what the log has of it, and `outcome` what it comes to again. */
export function pastJson({ past, revision, answer }: PastTold): string {
  const { record, again, agrees, sameFiles, steps, flips } = past
  const told = {
    verdict: (again ?? record.outcome).verdict,
    at: new Date(record.facts.at).toISOString(),
    path: pathAsked(record.facts.request),
    asked: record.facts.request.model ?? null,
    revision,
    same_files: sameFiles,
    agrees,
    outcome: again ?? null,
    answer: answer ? { status: answer.status, headers: answer.headers, body: answer.body ?? null } : null,
    stages: steps.map(stepRecord),
    allowed_if: flips.map(remedyRecord),
    record: namedAsInLine(record),
  }
  return `${jsonText(told, 2)}\n`
}
