import { orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'

/** A field that a pool's backends refused. Requests omit it, or use another name. */
export const LESSON = record(
  {
    field: text(),
    as: orNull(text('The name sent instead; null if the field is left out.')),
    accounts: whole('The accounts whose requests were refused. The lesson applies only to them.'),
  },
  'Lesson',
  "A field that a pool's backends refused. Requests omit it, or use another name.",
)

export interface ShownLesson extends TypeOf<typeof LESSON> {}

interface LessonsField {
  readonly learned?: readonly ShownLesson[]
}

/** A lesson as a process counts it. */
export type KnownLesson = Omit<ShownLesson, 'as'> & { readonly as?: string }

export const shownLessons = (lessons: readonly KnownLesson[]): LessonsField =>
  lessons.length > 0 ? { learned: lessons.map(({ as, ...lesson }) => ({ ...lesson, as: as ?? null })) } : {}

/** Each lesson once: processes of a gateway share theirs. */
export function addedLessons(pools: readonly LessonsField[]): LessonsField {
  const byField = new Map<string, ShownLesson>()
  for (const lesson of pools.flatMap(({ learned = [] }) => learned)) {
    const { accounts = 0 } = byField.get(lesson.field) ?? {}
    byField.set(lesson.field, { ...lesson, accounts: Math.max(accounts, lesson.accounts) })
  }
  return byField.size > 0 ? { learned: [...byField.values()] } : {}
}
