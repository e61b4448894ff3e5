import type { Step } from '../policy/explain.ts'
import type { ShownRemedy, ShownStep } from '../wire/admin/past.ts'
import type { Remedy } from './flips.ts'

/** A stage as programs read it; `file` and `line` are null where no line of a file decided. */
export const shownStep = ({ stage, outcome, text, at }: Step): ShownStep => ({
  ...{ stage, outcome, text },
  file: at?.file ?? null,
  line: at?.line ?? null,
})

/** A change that would have a request served, as programs read it. */
export const shownRemedy = (remedy: Remedy): ShownRemedy =>
  remedy.change === 'time' ? { ...remedy, at: new Date(remedy.at).toISOString() } : remedy
