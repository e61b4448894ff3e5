import { isObject } from '../json.ts'
import { type Left, Section } from '../section.ts'

/** The keys of an export of LiteLLM, which answers page by page, and what of the pages is not there or is no key. */
export function keysIn(files: readonly unknown[]): {
  readonly keys: readonly Section[]
  readonly left: readonly Left[]
} {
  const answers = files.flatMap(answersIn).map(answer => new Section(answer, ''))
  const left: Left[] = []
  const all = answers.flatMap(answer => {
    const keys = answer.take('keys')
    if (Array.isArray(keys)) return keys.map((key: unknown) => key)
    left.push({ path: '--keys', why: `it has no list of keys: pass the answer of ${PATH}` })
    return []
  })
  const bare = all.filter(key => !isObject(key)).length
  if (bare > 0)
    left.push({
      path: 'keys',
      why: `there is no map for ${bare} of ${all.length}: mint no keys for these, and request ${PATH}`,
    })
  left.push(...missing(answers), ...answers.flatMap(answer => answer.left({})))
  const keys = all.flatMap((key, at) => (isObject(key) ? [new Section(key, `keys[${at}]`)] : []))
  return { keys, left }
}

/** A file has an answer, a list of them, or the list of keys alone. */
function answersIn(file: unknown): readonly unknown[] {
  if (!Array.isArray(file)) return [file]
  return file.some(each => isObject(each) && Array.isArray(each.keys)) ? file : [{ keys: file }]
}

/** The pages that the answers tell of and that are not among them. */
function missing(answers: readonly Section[]): readonly Left[] {
  const pages = new Set(answers.map((answer, at) => answer.number('current_page') ?? at + 1))
  const total = Math.max(0, ...answers.map(answer => answer.number('total_pages') ?? 0))
  for (const answer of answers) for (const name of ['total_count', 'size', 'page_size']) answer.take(name)
  if (pages.size >= total) return []
  const why = `${pages.size} of ${total} pages are here: ask for ${PATH}&page=N, and give --keys for each page`
  return [{ path: 'total_pages', why }]
}

const PATH = '/key/list?return_full_object=true&size=100'
