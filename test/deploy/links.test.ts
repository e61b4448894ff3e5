import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { svcctl } from '../../src/cli/program.ts'
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

const withoutCode = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```/gm, '')

/** The anchors that GitHub gives the headings of a page. */
const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...withoutCode(textOf(page)).matchAll(/^#+ +(.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )

it.each(pages)('every link of %s leads to a file that is there, and to a heading that it has', page => {
  const broken = [...withoutCode(textOf(page)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(join(ROOT, file))) return [target]
    return anchor === undefined || anchorsOf(file).has(anchor) ? [] : [target]
  })
  expect(broken).toEqual([])
})

/** Decisions and changes are of their time: what they name may have moved since. */
const current = pages.filter(page => !page.startsWith('docs/decisions/0') && page !== 'CHANGELOG.md')

it.each(current)('every path that %s names is there', page => {
  const named = [
    ...textOf(page).matchAll(/`((?:src|test|bench|deploy|docs|schema|scripts|policies|redis|wasm|demo)\/[\w./-]*)`/g),
  ]
  expect(named.map(([, path = '']) => path).filter(path => !existsSync(join(ROOT, path)))).toEqual([])
})

it.each(pages.filter(page => page.startsWith('src/')))('every file and folder that %s names lies beside it', page => {
  const named = [...textOf(page).matchAll(/`([\w-]+(?:\/[\w-]*)*(?:\.(?:ts|lua)|\/))`/g)].map(([, path = '']) => path)
  const isThere = (path: string) => existsSync(join(ROOT, dirname(page), path)) || existsSync(join(ROOT, path))
  expect(named.length).toBeGreaterThan(4)
  expect(named.filter(path => !isThere(path))).toEqual([])
})

it('every page of docs/ is listed in docs/index.md', () => {
  const index = textOf('docs/index.md')
  const listed = (page: string) => index.includes(`](${page.slice('docs/'.length)})`)
  const own = pages.filter(page => /^docs\/(?!decisions\/)/.test(page) && page !== 'docs/index.md')
  expect(own.filter(page => !listed(page))).toEqual([])
  expect(listed('docs/decisions/README.md')).toBe(true)
})

it('the list of decisions has every record by its own title', () => {
  const list = textOf('docs/decisions/README.md')
  const records = pages.filter(page => page.startsWith('docs/decisions/0'))
  expect(records.length).toBeGreaterThan(20)
  const missing = records.filter(page => {
    const [, number = '', title = ''] = /^# (\d{3}) (.+)$/m.exec(textOf(page)) ?? []
    return !list.includes(`| ${number} | [${title}](${page.slice('docs/decisions/'.length)}) | `)
  })
  expect(missing).toEqual([])
})

it.each(current)('every command of svcctl that %s names is one', page => {
  const known = new Set(svcctl().commands.map(command => command.name()))
  const code = textOf(page).match(/^ *```[\s\S]*?^ *```|`[^`\n]+`/gm) ?? []
  const named = code.flatMap(text => [...text.matchAll(/(?<![\w./])svcctl ([a-z]+)\b/g)].map(([, name = '']) => name))
  expect(named.filter(name => !known.has(name))).toEqual([])
})

it('README.md fits on 150 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(151)
})
