import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { tablesIn } from '../docs/tables.ts'
import { ROOT, textOf } from './files.ts'

const pages = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs', name)),
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('README.md'))
    .map(name => join('src', name)),
].filter(page => existsSync(join(ROOT, page)))

const texts = new Map(pages.map(page => [page, textOf(page)]))
const read = (page: string): string => texts.get(page) ?? textOf(page)

const withoutCode = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```/gm, '')

const known = new Map<string, ReadonlySet<string>>()

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = known.get(page) ?? new Set(headingsIn(withoutCode(read(page))).map(anchorOf))
  known.set(page, anchors)
  return anchors
}

const headingsIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^#+ +(.+)$/gm), ([, title = '']) => title)

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

it.each(pages)('every link in %s leads to a file that exists and to one of its headings', page => {
  const broken = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(join(ROOT, file))) return [target]
    return anchor === undefined || anchorsOf(file).has(anchor) ? [] : [target]
  })
  expect(broken).toEqual([])
})

const isRecord = (page: string): boolean => /^docs\/decisions\/\d/.test(page)

/** Decision records and the changelog keep the paths of their time, which may have moved. */
const current = pages.filter(page => !isRecord(page) && page !== 'CHANGELOG.md')

it.each(current)('every path that %s names exists', page => {
  const named = [
    ...read(page).matchAll(/`((?:src|test|bench|deploy|docs|schema|scripts|policies|redis|wasm|demo)\/[\w./-]*)`/g),
  ]
  expect(named.map(([, path = '']) => path).filter(path => !existsSync(join(ROOT, path)))).toEqual([])
})

it('every file and folder that a README in src names exists beside it or in the repository', () => {
  const named = pages
    .filter(page => page.startsWith('src/'))
    .flatMap(page =>
      [...read(page).matchAll(/`([\w-]+(?:\/[\w-]*)*(?:\.(?:ts|lua)|\/))`/g)].map(([, path = '']) => ({ page, path })),
    )
  const exists = ({ page, path }: (typeof named)[number]) =>
    existsSync(join(ROOT, dirname(page), path)) || existsSync(join(ROOT, path))
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(each => !exists(each))).toEqual([])
})

it('docs/index.md links to every page of docs/', () => {
  const index = read('docs/index.md')
  const isLinked = (page: string) => index.includes(`](${page.slice('docs/'.length)}`)
  const own = pages.filter(page => /^docs\/(?!decisions\/)/.test(page) && page !== 'docs/index.md')
  expect([...own, 'docs/decisions/README.md'].filter(page => !isLinked(page))).toEqual([])
})

const records = pages.filter(isRecord)
const numberOf = (page: string): string => page.slice('docs/decisions/'.length).slice(0, 3)

it('the list of decisions has one row for each record, with its number and a link to it', () => {
  const rows = tablesIn(read('docs/decisions/README.md')).flat()
  const listed = rows.map(([number, decision = '']) => ({ number, file: /\]\(([^)]+)\)/.exec(decision)?.[1] }))

  expect(records.length).toBeGreaterThan(20)
  expect(listed).toEqual(
    [...records].sort().map(page => ({ number: numberOf(page), file: page.slice('docs/decisions/'.length) })),
  )
})

it('each decision record has its number in its title and in the name of its file, and shares it with no other', () => {
  expect(records.filter(page => !read(page).startsWith(`# ${numberOf(page)} `))).toEqual([])
  expect(new Set(records.map(numberOf)).size).toBe(records.length)
})

it('README.md has fewer than 2,000 words, its code included', () => {
  expect(read('README.md').split(/\s+/).length).toBeLessThan(2000)
})
