import { counted } from '../../config/format/problem-text.ts'
import type { Problem } from '../../config/problem.ts'
import type { ApplyDenial, RevisionDenial } from '../../policy/denial.ts'

/** A candidate that cannot be applied: thrown on the way, and answered as the denial it holds. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly denial: ApplyDenial | RevisionDenial

  constructor(denial: ApplyDenial | RevisionDenial) {
    super(denial.code)
    this.denial = denial
  }
}

/** A refusal with one sentence. */
export const refusal = (reason: string): Refused =>
  new Refused({ code: 'APPLY_REFUSED', reason, problems: [], text: '' })

/** The same refusal with more in its sentence; any other error as it is. */
export function withMore(error: unknown, more: string): unknown {
  if (!(error instanceof Refused) || error.denial.code !== 'APPLY_REFUSED') return error
  return new Refused({ ...error.denial, reason: error.denial.reason + more })
}

/** Problems in the files of a candidate, and the same as operators read them. */
export function refusedFor(problems: readonly Problem[], text: string): Refused {
  const reason = `The files have ${counted(problems.length, 'problem')}. The gateway goes on with the configuration it has.`
  return new Refused({ code: 'APPLY_REFUSED', reason, problems, text })
}

/** The message of an error. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^✗ /, '')
