import { counted } from '../../policy/counted.ts'
import type { ShownLesson } from '../../wire/admin/pool-lessons.ts'

/** `without seed (refused for 3 accounts), max_tokens as max_completion_tokens (refused for 1 account)` */
export const lessonsText = (lessons: readonly ShownLesson[]): string =>
  lessons
    .map(({ field, as, accounts }) => {
      const change = as === null ? `without ${field}` : `${field} as ${as}`
      return `${change} (refused for ${counted(accounts, 'account')})`
    })
    .join(', ')

/** Fields with a fact of their own. */
const FACTS: ReadonlyMap<string, string> = new Map([
  ['stream_options', 'stream_options: false'],
  ['priority', 'priority: none'],
])

/** How a pool says the same in its file: `provider: { drops: [seed] }`. */
export function lessonsYaml(lessons: readonly ShownLesson[]): string {
  const cap = lessons.flatMap(({ as }) => as ?? []).at(-1)
  const left = lessons.flatMap(({ field, as }) => (as === null ? [field] : []))
  const drops = left.filter(field => !FACTS.has(field))
  const facts = [
    ...(cap === undefined ? [] : [`cap: ${cap}`]),
    ...left.flatMap(field => FACTS.get(field) ?? []),
    ...(drops.length > 0 ? [`drops: [${drops.join(', ')}]`] : []),
  ]
  return `provider: { ${facts.join(', ')} }`
}
