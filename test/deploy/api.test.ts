import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { KNOWN_FIELDS } from '../../src/policy/fields.ts'
import { codesIn, tablesIn } from '../docs/tables.ts'
import { apiPages, textOf } from './files.ts'

const page = apiPages()
const openApi = parse(textOf('openapi.yaml'))
const rows = tablesIn(page).flat()

it('docs/api.md lists every endpoint and method of openapi.yaml once, and no other', () => {
  const promised = Object.entries<Record<string, unknown>>(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter(name => name !== 'parameters')
      .map(method => `${method.toUpperCase()} ${path}`),
  )
  const listed = rows.flatMap(([endpoints = '']) => codesIn(endpoints)).filter(code => /^[A-Z]+ \//.test(code))
  expect(listed.sort()).toEqual(promised.sort())
})

it('the pages of the API name every header of an answer that openapi.yaml promises', () => {
  const answers = Object.values<{ headers?: object }>({
    ...openApi.components.responses,
    ...openApi.paths['/v1/chat/completions'].post.responses,
  })
  const headers = new Set(answers.flatMap(({ headers }) => Object.keys(headers ?? {})))
  const ofHttp = /^(access-control-|www-authenticate|allow$)/
  expect(headers.size).toBeGreaterThan(10)
  expect([...headers].filter(name => !ofHttp.test(name) && !page.includes(`\`${name}\``))).toEqual([])
})

it.each(['chat', 'embedding', 'image'] as const)(
  'the pages of the API list every request field that the gateway knows for kind %s, and no other',
  kind => {
    const known: readonly string[] = [...KNOWN_FIELDS[kind]]
    const cells = rows.map(([, cell = '']) => {
      // Values and settings follow their field in brackets.
      const text = cell.replace(/\([^)]*\)/g, '')
      const listed = text.matchAll(/(?:^|[,;]|\band|\bor) *`([a-z_]+)`/g)
      return { names: codesIn(text), listed: Array.from(listed, ([, name = '']) => name) }
    })
    /** Above 0 where most of the names are known. */
    const likeness = (names: readonly string[]) => 2 * names.filter(name => known.includes(name)).length - names.length
    const [row] = cells.sort((a, b) => likeness(b.names) - likeness(a.names))

    expect(known.filter(name => !row?.names.includes(name))).toEqual([])
    expect(row?.listed.filter(name => !known.includes(name))).toEqual([])
  },
)
