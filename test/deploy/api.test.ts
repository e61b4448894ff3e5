import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { KNOWN_FIELDS } from '../../src/policy/fields.ts'
import { textOf } from './files.ts'

const page = textOf('docs/api.md')
const openApi = parse(textOf('openapi.yaml'))

it('docs/api.md has every endpoint and method of openapi.yaml, and no other', () => {
  const documented = Object.entries<Record<string, unknown>>(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  const section = page.split(/^## /m).find(part => part.startsWith('Endpoints\n')) ?? ''
  const named = [...section.matchAll(/`(GET|POST|DELETE) (\/[^`]+)`/g)].map(([, method, path]) => `${method} ${path}`)
  expect(named.sort()).toEqual(documented.sort())
})

it('docs/api.md has every header of an answer that openapi.yaml promises', () => {
  const answers = Object.values<{ headers?: object }>({
    ...openApi.components.responses,
    ...openApi.paths['/v1/chat/completions'].post.responses,
  })
  const headers = new Set(answers.flatMap(({ headers }) => Object.keys(headers ?? {})))
  const ofHttp = /^(access-control-|www-authenticate|allow$)/
  expect([...headers].filter(name => !ofHttp.test(name) && !page.includes(`\`${name}\``))).toEqual([])
})

it.each([
  ['chat', 'chat'],
  ['embeddings', 'embedding'],
  ['images', 'image'],
] as const)('docs/api.md has every known field of %s, and no other', (row, kind) => {
  const cells = page.split('\n').find(line => line.startsWith(`| ${row} | \`model\``)) ?? ''
  const fields = [...cells.replace(/\([^)]*\)/g, '').matchAll(/`([a-z_]+)`/g)].map(([, name]) => name)
  expect(fields.sort()).toEqual([...KNOWN_FIELDS[kind]].sort())
})
