import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { format } from '../../../src/config/format/format.ts'
import { plain } from '../../../src/config/model/tree.ts'
import type { Problem } from '../../../src/config/problem.ts'
import { parse } from '../../../src/config/read/compose.ts'
import { times } from '../../support/times.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const yamlIn = (folder: string, { recursive } = { recursive: false }) =>
  readdirSync(`${root}${folder}`, { recursive, encoding: 'utf8' })
    .filter(name => name.endsWith('.yaml'))
    .map(name => `${folder}/${name}`)
const shipped = ['config.example.yaml', ...yamlIn('policies')]
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')

function formatted(text: string, file = 'a.yaml') {
  const problems: Problem[] = []
  return { text: format({ file, path: file, text }, problem => problems.push(problem)), problems }
}

/** The gateway's reading of the text, and all of its findings. */
function meaning(text: string) {
  const said: string[] = []
  const tree = parse({ file: 'a.yaml', path: 'a.yaml', text }, {}, ({ rule, message }) =>
    said.push(`${rule} ${message}`),
  )
  return { said, data: tree && JSON.stringify(plain(tree)) }
}

/** The comments of documents that have no # in texts. */
const comments = (text: string) => [...text.matchAll(/(?:^|\s)(#.*)/g)].map(([, comment = '']) => comment.trim()).sort()

test.each(shipped)('%s is in the style', file => {
  expect(formatted(read(file), file)).toEqual({ text: read(file), problems: [] })
})

test.each(yamlIn('test/config/bad', { recursive: true }))(
  '%s says the same afterwards, or is refused at a place',
  file => {
    const before = read(file)

    const { text, problems } = formatted(before, file)

    if (text === undefined) {
      expect(problems).toEqual([
        expect.objectContaining({ file, line: expect.any(Number), rule: expect.not.stringContaining('not-formatted') }),
      ])
    } else {
      expect(meaning(text)).toEqual(meaning(before))
      expect(comments(text)).toEqual(comments(before))
      expect(formatted(text).text).toBe(text)
    }
  },
)

test.each([
  ['two blanks a level, lists indented', 'a:\n    b:\n    - 1\n    -   2\n', 'a:\n  b:\n    - 1\n    - 2\n'],
  ['blanks in maps and not in lists', 'a: {x: 1,y: [ 1,2 ]}\n', 'a: { x: 1, y: [1, 2] }\n'],
  ['one blank before a comment, at most one empty line', 'a: 1    # c\n\n\n\nb: 2\n', 'a: 1 # c\n\nb: 2\n'],
  ['a comment behind a name stays there', 'a:   # c\n   # d\n   b: 1\n', 'a: # c\n  # d\n  b: 1\n'],
  ['an empty line above a last comment stays', 'a:\n  b: 1\n\n  # c\nd: 1\n', 'a:\n  b: 1\n\n  # c\nd: 1\n'],
  ['what spans lines becomes a block', 'a: [1, # c\n  2]\n', 'a:\n  - 1 # c\n  - 2\n'],
  ['texts keep their quotes and digits', "a: '1'\nb: 0.10\nc: ~\nd:\ne: 1e3\n", "a: '1'\nb: 0.10\nc: ~\nd:\ne: 1e3\n"],
  ['anchors and aliases survive', 'a: &x {k: 1}\nb: *x\nc: [ *x ]\n', 'a: &x { k: 1 }\nb: *x\nc: [*x]\n'],
  ['an anchor keeps its place before a comment', 'a: &x # c\n  b: 1\n', 'a: &x\n  # c\n  b: 1\n'],
  ['lines end with LF', 'a: 1\r\nb: 2\r\n', 'a: 1\nb: 2\n'],
  [
    'texts over several lines stay what they are',
    'a: |\n     x\n       y\nb: >-\n    z\n',
    'a: |\n  x\n    y\nb: >-\n  z\n',
  ],
])('%s', (_, before, after) => {
  expect(formatted(before)).toEqual({ text: after, problems: [] })
})

test('a heading stays with what it is the heading of, also below a block that ends with a comment', () => {
  const text = `plans:
  free:
    rpm: 20
    # tpm: 40k

  # the paid one
  pro:
    rpm: 200
    # not yet

# Pools of the site
pools:
  near:
    replicas:
      - http://10.0.0.1/v1
      # - http://10.0.0.2/v1
    # its name there
    model: x

# the end
`

  expect(formatted(text)).toEqual({ text, problems: [] })
  expect(formatted(text.replace('rpm: 20\n', 'rpm:   20\n'))).toEqual({ text, problems: [] })
})

test('a list that is too long for a line stands an item a line', () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`)

  expect(formatted(`a: [${words.join(', ')}]\n`).text).toBe(`a:\n${words.map(word => `  - ${word}\n`).join('')}`)
})

test('invalid YAML is a Problem with its position', () => {
  expect(formatted('a: 1\n\tb: 2\n')).toMatchObject({
    text: undefined,
    problems: [{ file: 'a.yaml', line: 2, column: 1, rule: 'yaml-syntax' }],
  })
  expect(formatted('a: 1\n---\nb: 2\n').problems).toMatchObject([{ line: 2, rule: 'two-documents' }])
})

test('a file that is nested without end is refused', () => {
  const deep = `a: ${'['.repeat(3000)}${']'.repeat(3000)}\n`

  const { text, problems } = formatted(deep)

  expect(text === undefined ? problems.length : 0).toBeLessThanOrEqual(1)
})

/** Text of a document: random shapes, comments and indentation. */
const word = fc.constantFrom(
  'a',
  'b',
  'rpm',
  'x-1',
  '"q: 1"',
  "'s'",
  '0.10',
  'true',
  '~',
  '40k',
  `\${X:-y}`,
  'tier:guest',
  '-1',
)
const comment = fc.constantFrom('', '', '', ' # c', '   #d e')
const gap = fc.constantFrom('', '', '\n', '\n\n', '# over\n', '\n# over\n\n')
const flow: fc.Arbitrary<string> = fc.letrec<{ node: string }>(tie => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', '"b"', '1', '0.5', "'c'"),
    fc.array(tie('node'), { maxLength: 4 }).map(items => `[${items.join(',  ')}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('k', 'l', 'm'), tie('node')), { maxLength: 3, selector: ([key]) => key })
      .map(pairs => `{${pairs.map(([key, value]) => `${key}: ${value}`).join(',')}}`),
  ),
})).node
type Lines = readonly string[]
const shifted = (lines: Lines, blanks: number): Lines =>
  lines.map(line => (line.trim() === '' ? line : ' '.repeat(blanks) + line))
const block: fc.Arbitrary<Lines> = fc.letrec<{ node: Lines }>(tie => {
  const nested = fc.tuple(tie('node'), fc.integer({ min: 1, max: 5 }), comment, gap)
  const leaf = fc
    .tuple(fc.oneof(word, flow), comment)
    .map(([value, after]) => ({ head: ` ${value}${after}`, below: [] as Lines }))
  const text = fc
    .constantFrom('|', '>-', '|+')
    .map(head => ({ head: ` ${head}`, below: ['   one', '     two', '', '   three'] as Lines }))
  const deep = nested.map(([lines, blanks, after, above]) => ({
    head: after,
    below: [...shifted(above.split('\n').slice(0, -1), blanks), ...shifted(lines, blanks)],
  }))
  const value = fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, text, deep)
  return {
    node: fc.oneof(
      { depthSize: 'small' },
      fc
        .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c-d', '"e f"', 'g'), value, gap), {
          minLength: 1,
          maxLength: 4,
          selector: ([key]) => key,
        })
        .map(entries =>
          entries.flatMap(([key, { head, below }, above]) => [
            ...above.split('\n').slice(0, -1),
            `${key}:${head}`,
            ...below,
          ]),
        ),
      fc
        .array(fc.tuple(fc.oneof(word, flow), comment), { minLength: 1, maxLength: 4 })
        .map(items => items.map(([item, after]) => `- ${item}${after}`)),
    ),
  }
}).node

test('a document that is generated means the same afterwards, keeps its comments, and is in the style', () => {
  let refused = 0
  let seen = 0
  fc.assert(
    fc.property(block, lines => {
      const before = `top:\n${shifted(lines, 3).join('\n')}\n# end\n`
      const { text, problems } = formatted(before)
      seen++
      if (problems.some(({ rule }) => rule === 'not-formatted')) refused++
      if (text === undefined) return
      expect(meaning(text)).toEqual(meaning(before))
      expect(parseYaml(text)).toEqual(parseYaml(before))
      expect(comments(text)).toEqual(comments(before))
      expect(formatted(text).text).toBe(text)
    }),
    { numRuns: times(300) },
  )
  // It gives up rather than lose something: seldom, which few documents show by chance only.
  if (seen >= 300) expect(refused / seen).toBeLessThan(0.05)
})

test.each([
  'a: 1\n# the end\n',
  'a: 1\n\n# the end\n',
  'a:\n  b: 1\n# the end\n# of it\n',
  'a: { b: 1 }\n# one\n\n# two\n',
  'a: |\n  text\n# the end\n',
  'a: |\n  # text\n\n  # more\n# the end\n',
  'a:\n  - 1\n  # of a\n# of the file\n',
])('a comment that ends a file has an empty line above it where it had one, and no other: %j', text => {
  expect(formatted(text)).toEqual({ text, problems: [] })
})
