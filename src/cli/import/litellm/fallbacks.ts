import { isObject } from '../../../wire/json-safety.ts'
import type { Left, Section } from '../section.ts'

/** Models that answer in place of others. Those for long prompts come last: a pool with too little room is passed over. */
export function fallbacksOf(sections: readonly Section[]) {
  const left: Left[] = []
  const pairs = (field: string) =>
    sections.flatMap(section => {
      const list = section.take(field)
      return (Array.isArray(list) ? list : []).flatMap(each => (isObject(each) ? Object.entries(each) : []))
    })
  const usual = [...pairs('fallbacks'), ...pairs('context_window_fallbacks')]
  const always = sections.flatMap(section => {
    const list = section.take('default_fallbacks')
    return Array.isArray(list) ? list.map(String) : []
  })
  const namesIn = (list: unknown) =>
    (Array.isArray(list) ? list : []).flatMap(each => (typeof each === 'string' ? each : []))
  for (const [group, list] of usual)
    if (Array.isArray(list) && list.some(each => typeof each !== 'string'))
      left.push({ path: `fallbacks.${group}`, why: 'a fallback with fields of its own is no model' })
  const after = (group: string, isChat: boolean): readonly string[] => [
    ...usual.filter(([name]) => name === group || name === '*').flatMap(([, list]) => namesIn(list)),
    ...(isChat ? always : []),
  ]
  const names = [...usual.flatMap(([group, list]) => [group, ...namesIn(list)]), ...always].filter(name => name !== '*')
  return { after, names, left }
}
