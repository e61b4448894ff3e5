import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { adminEndpoints } from '../../../src/http/admin/admin.ts'
import { ADMIN_CALLS } from '../../../src/wire/admin-api/calls.ts'
import { adminDocument } from '../../../src/wire/admin-api/document.ts'
import { adminViolationsOf, NO_CALLS } from '../../support/admin-api.ts'
import { ADMIN_TOKEN } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { outcomeOf, send } from '../calls.ts'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>
}

type Content = Readonly<Record<string, { readonly schema?: object }>>

interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const document: Document = JSON.parse(JSON.stringify(adminDocument({ version: '0.2.0', brand: 'svc' })))
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
)

describe('the document of the admin API', () => {
  it('has every endpoint of the admin listener but pages, files and probes', () => {
    const served = adminEndpoints.map(({ method, path }) => `${method} ${path}`)

    expect(operations.map(({ name }) => name).sort()).toEqual(served.filter(name => !NO_CALLS.includes(name)).sort())
    expect(served).toEqual(expect.arrayContaining([...NO_CALLS]))
  })

  it('asks for the role that the endpoint needs', () => {
    const needed = (path: string) => adminEndpoints.filter(each => each.path === path && each.who === 'operator')
    for (const { call } of ADMIN_CALLS.filter(each => each.call.needs !== 'anyone'))
      expect(needed(call.path)).toContainEqual(expect.objectContaining({ method: call.method, needs: call.needs }))
  })

  it('refers to schemas that it has, and to each of them', () => {
    const text = JSON.stringify(document)
    const named = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name))

    expect([...named].sort()).toEqual(Object.keys(document.components.schemas).sort())
  })

  it('has schemas that JSON Schema 2020-12 accepts', () => {
    const ajv = new Ajv2020({ strict: false })
    const bodies = operations.flatMap(({ operation: { parameters = [], requestBody, responses } }) => [
      ...parameters.map(({ schema }) => schema),
      ...[requestBody, ...Object.values(responses)].flatMap(each =>
        Object.values(each?.content ?? {}).flatMap(({ schema }) => schema ?? []),
      ),
    ])
    const schemas = [...Object.values(document.components.schemas), ...bodies]

    expect(schemas.length).toBeGreaterThan(200)
    expect(schemas.filter(schema => ajv.validateSchema(schema) !== true)).toEqual([])
  })

  it('names each operation once, with a parameter for each part of its path and a description for each answer', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    for (const { name, path, operation } of operations) {
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part)
      const inPath = (operation.parameters ?? []).filter(each => each.in === 'path').map(each => each.name)
      expect(inPath, name).toEqual(parts)
      expect(
        Object.values(operation.responses).map(({ description }) => description),
        name,
      ).not.toContain('')
    }
  })
})

it('an answer with a field that is not declared, or without one that is, is noticed', () => {
  const answered = (body: object) =>
    adminViolationsOf({
      ...{ method: 'GET', path: '/admin/orgs', requestBody: Buffer.alloc(0), status: 200, complete: true },
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    })

  expect(answered({ object: 'list', data: [], has_more: false })).toEqual([])
  expect(answered({ object: 'list', data: [], has_more: false, more: 1 })).not.toEqual([])
  expect(answered({ object: 'list', data: [] })).not.toEqual([])
})

describe('GET /admin/openapi.json', () => {
  gatewayTest('is the document, in the words of the deployment', async ({ gateway }) => {
    const told = await send({ url: gateway.admin }, 'GET /admin/openapi.json', { token: ADMIN_TOKEN })

    expect(outcomeOf(told)).toBe('200')
    expect(told.body).toMatchObject({ openapi: '3.1.0', paths: document.paths })
  })

  gatewayTest('is for operators alone, on the admin listener alone', async ({ gateway }) => {
    const stranger = await send({ url: gateway.admin }, 'GET /admin/openapi.json')
    const client = await send(gateway, 'GET /admin/openapi.json', { token: await gateway.key() })

    expect([outcomeOf(stranger), outcomeOf(client)]).toEqual(['401 INVALID_TOKEN', '404 NOT_FOUND'])
    const told = await send(gateway, 'GET /openapi.json')
    expect(told.text).not.toContain('/admin/')
  })
})
