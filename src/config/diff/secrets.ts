import type { Secret } from '../settings.ts'
import type { Sides } from './named.ts'
import type { Rule, Said } from './rule.ts'

/** A key that is sent. Its value is compared where both are known, and never told. */
export const keyRule =
  ({ isUnknown }: Pick<Sides, 'isUnknown'>): Rule<Secret | undefined> =>
  (from, to, subject) => {
    const tell = (text: string): readonly Said[] => [{ field: 'key', from: null, to: null, text, effect: 'plumbing' }]
    if (!from && !to) return []
    if (!from) return tell(`${subject} is now sent a key`)
    if (!to) return tell(`${subject} is no longer sent a key`)
    return isChanged(from, to, isUnknown) ? tell(`the key of ${subject} changed`) : []
  }

/** Whether two secrets are known and differ. */
export const isChanged = (from: Secret, to: Secret, isUnknown: Sides['isUnknown']): boolean =>
  from.reveal() !== to.reveal() && !isUnknown(from.reveal()) && !isUnknown(to.reveal())
