import { expect, it } from 'vitest'
import { load } from '../../../src/config/load.ts'
import { textDisk } from '../../../src/config/read/disk.ts'
import { glob } from '../../../src/config/read/glob.ts'

const SMALL = `version: 1
plans: { free: { models: all, rpm: 20, tpm: 40k, monthly_usd: 1 } }
pools: { p: { site: s, model: m, replicas: ["http://127.0.0.1:1/v1"] } }
models: { svc-core: { kind: chat, tier: guest, serve: [p], context: 32k, usd_per_1m: { input: 1, output: 10 } } }
`
const read = (text: string) => load('c.yaml', {}, '/nowhere', textDisk([{ file: 'c.yaml', text }], '/nowhere'))
const problemsOf = (text: string) => {
  const result = read(text)
  return result.ok ? result.loaded.warnings : result.problems
}
const many = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n)).join('')

it('the first thousand of very many unknown names are reported, with the number of the rest', () => {
  const problems = problemsOf(`${SMALL}default_model: svc-core\n${many(3000, n => `unknown_${n}: 1\n`)}`)

  expect(problems).toHaveLength(1001)
  expect(problems.at(-1)).toMatchObject({ rule: 'more-problems', message: 'and 2000 more from here on' })
})

it('the first hundred of very many undeclared names get a suggestion', () => {
  const models = many(300, n => `svc-cor${n}, `)
  const problems = problemsOf(`${SMALL.replace('models: all', `models: [${models}]`)}`)

  expect(problems).toHaveLength(300)
  expect(problems.filter(({ hint }) => hint !== undefined)).toHaveLength(100)
})

it('a pattern that is too long is refused before it is compiled', () => {
  const problems = problemsOf(
    `${SMALL}routes: [{ name: r, when: { matches: "${'a?'.repeat(100_000)}" }, use: svc-core }]\n`,
  )

  expect(problems).toMatchObject([{ rule: 'bad-pattern' }])
})

it.each([
  ['*', ['a.yaml', 'aab.yaml']],
  ['a*.yaml', ['a.yaml', 'aab.yaml']],
  ['*b.yaml', ['aab.yaml']],
  ['a?b.*', ['aab.yaml']],
  ['?.yaml', ['a.yaml']],
  ['*a*a*a*', ['aab.yaml']],
  ['*a*a*a*a*', []],
  [`${'*a'.repeat(100_000)}`, []],
  ['.*', ['.hidden']],
  ['A*', []],
  ['a+?.yaml', []],
])('the pattern %.20s names what a shell would', (pattern, found) => {
  const disk = textDisk(
    ['a.yaml', 'aab.yaml', '.hidden'].map(file => ({ file, text: '' })),
    '/x',
  )

  expect(glob(pattern, '/x', disk)).toEqual(found.map(name => `/x/${name}`))
})

it('without `default_model` it is svc-core, a model or an alias', () => {
  const [own, alias, none] = [
    read(SMALL),
    read(`${SMALL.replace('svc-core:', 'big:')}aliases: { svc-core: big }\n`),
    read(SMALL.replace('svc-core:', 'big:')),
  ]

  expect(own.ok && own.loaded.config.defaultModel).toMatchObject({ name: 'svc-core' })
  expect(alias.ok && alias.loaded.config.defaultModel).toMatchObject({ name: 'svc-core', model: { name: 'big' } })
  expect(none.ok ? [] : none.problems).toMatchObject([{ rule: 'missing-field' }])
})

const ROUTES = (first: string, second: string) => `${SMALL.replace(
  'plans: {',
  'plans: { none: { models: ["tier:odd"], rpm: 1, tpm: 40k, monthly_usd: 1 }, ',
).replace(
  'models: { svc-core',
  'models: { odd: { kind: chat, tier: odd, serve: [p], context: 32k, usd_per_1m: { input: 1, output: 10 } }, svc-core',
)}
aliases: { auto: odd }
default_model: auto
routes:
  - { name: one, when: ${first}, use: svc-core }
  - { name: two, when: ${second}, use: svc-core }
`

it.each([
  ['{ mentions: [a, b] }', '{ mentions: [b, a] }'],
  ['{ mentions: [Alpha] }', '{ mentions: alpha }'],
  ['{ plan: [free, none], has_tools: true }', '{ has_tools: true, plan: [none, free] }'],
  ['{ any: [{ mentions: a }, { has_tools: true }] }', '{ any: [{ has_tools: true }, { mentions: a }] }'],
  ['{ has_tools: true }', '{ has_tools: true, mentions: a }'],
])('after a route with %s one with %s never applies, also where a plan lacks the model of both', (first, second) => {
  expect(problemsOf(ROUTES(first, second))).toMatchObject([{ rule: 'shadowed-route', line: 10 }])
})
