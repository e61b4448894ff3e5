import { expect } from 'vitest'
import { parse } from 'yaml'
import { apiPages, textOf } from '../../deploy/files.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'
import { outcomeOf, send } from '../calls.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly example?: unknown
}

type Paths = Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>

/** `GET /path?query` of the pages of the API, and each GET of openapi.yaml with the examples of its query. */
function queries(): readonly string[] {
  const documented = [...apiPages().matchAll(/`(GET \/[^`?{]*\?[^`]+)`/g)].map(([, request = '']) => request)
  const { paths }: { readonly paths: Paths } = parse(textOf('openapi.yaml'))
  const promised = Object.entries(paths).flatMap(([path, { get }]) => {
    const given = (get?.parameters ?? []).filter(each => each.in === 'query' && each.example !== undefined)
    if (given.length === 0) return []
    return [
      `GET ${path}?${new URLSearchParams(Object.fromEntries(given.map(({ name, example }) => [name, String(example)])))}`,
    ]
  })
  return [...new Set([...documented, ...promised])].filter(request => !request.includes('{'))
}

it('the documented queries are some, of the requests of an account among them', () => {
  expect(queries()).toContain('GET /v1/requests?limit=50&status=refused')
})

it.for(queries())('%s is answered as the documents say', async (request, { gateway }) => {
  expect(outcomeOf(await send(gateway, request, { token: await gateway.key() }))).toBe('200')
})
