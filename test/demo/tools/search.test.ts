import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cut, passagesOf } from '../../../demo/src/tools/documents.ts'
import { SearchIndex } from '../../../demo/src/tools/search.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

test.each([
  ['how does failover work?', /failover/i],
  ['rotate a key', /rotat/i],
  ['smart routing rules', /rout(?:e|ing)/i],
  ['the first checkpoint after 250 ms', /250 ms/],
])('of the documents of this repository, what is found for %s says so', (query, wanted) => {
  const [first] = new SearchIndex(passagesOf(root)).search(query, 1)

  expect(`${first?.title}\n${first?.text}`).toMatch(wanted)
})

test('a rare word weighs more than a frequent one, a heading more than a text, and whatever has no word of the query is left out', () => {
  const passage = (title: string, text: string) => ({ title, file: 'a.md', text })
  const index = new SearchIndex([
    passage('One', 'keys and plans and keys'),
    passage('Two', 'keys and a zebra'),
    passage('Zebras', 'striped animals'),
    passage('Three', 'nothing of that, but plans'),
  ])

  expect(index.search('Which keys has the zebra?', 5).map(({ title }) => title)).toEqual(['Two', 'Zebras', 'One'])
  expect(index.search('zebra keys', 1)).toHaveLength(1)
  expect(index.search('the and of', 5)).toEqual([])
})

test('documents are cut at their headings, not at what looks like one in code, and lose their marks', () => {
  const markdown = [
    'Before **any** heading.',
    '# A',
    'See [the list](b.md), `c`.',
    '```sh',
    '# no heading',
    '  indented',
    '```',
    '## B',
    '| x | y |',
    '|---|---|',
    '| 1 | 2 |',
    '# C',
    '',
  ].join('\n')

  expect(cut('d.md', markdown)).toEqual([
    { title: 'd.md', file: 'd.md', text: 'Before any heading.' },
    { title: 'A', file: 'd.md', text: 'See the list, c.\n# no heading\n  indented' },
    { title: 'A > B', file: 'd.md', text: '| x | y |\n| 1 | 2 |' },
  ])
})

test('long sections are cut between paragraphs, and nothing is lost', () => {
  const paragraphs = Array.from({ length: 40 }, (_, i) => `Paragraph ${i} ${'word '.repeat(20).trim()}.`)

  const passages = cut('d.md', `# T\n${paragraphs.join('\n\n')}`)

  expect(passages.every(({ text }) => text.length <= 700)).toBe(true)
  expect(passages.map(({ text }) => text).join('\n')).toBe(paragraphs.join('\n'))
})

test('an installed package has no decisions, and a folder without documents has nothing', () => {
  const folder = temporaryFolder('docs')
  const found = [passagesOf(folder)]
  writeFileSync(join(folder, 'README.md'), '# R\nread me')
  found.push(passagesOf(folder))
  mkdirSync(join(folder, 'docs/decisions'), { recursive: true })
  writeFileSync(join(folder, 'docs/decisions/001-a.md'), '# 001\ndecided')
  found.push(passagesOf(folder))

  expect(found.map(passages => passages.map(({ file }) => file))).toEqual([
    [],
    ['README.md'],
    ['README.md', 'docs/decisions/001-a.md'],
  ])
})
