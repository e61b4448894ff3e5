import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { adminDocument } from '../../src/wire/admin-api/document.ts'
import type { Exchange } from './openapi.ts'

type Node = Readonly<Record<string, unknown>>

/** Answers are held against the document with every record closed: a field that is not declared is a fault. */
const document = closedRecords(adminDocument({ version: '0', brand: 'svc' })) as Node
const ID = 'admin'
const ajv = new Ajv2020({
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  validateSchema: false,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
}).addSchema({ $id: ID, $defs: absolute(at(document, 'components', 'schemas')) as Node })

/** Endpoints of the admin listener that are no calls of the API: pages, files and probes. */
export const NO_CALLS: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /console',
  'GET /console/{id}',
]

/** Behaviour of an admin exchange that its declaration lacks; empty when all of it is declared. */
export function adminViolationsOf(exchange: Exchange): string[] {
  const { method, path, status } = exchange
  const found = Object.keys(at(document, 'paths')).find(pattern => matches(pattern, path))
  const operation = at(document, 'paths', found ?? '', method.toLowerCase())
  // Requests for unknown calls are answered as on any listener.
  if (!found || Object.keys(operation).length === 0) return []
  try {
    return faultsIn(operation, exchange).map(fault => `${method} ${path} ${status}: ${fault}`)
  } catch (error) {
    return [`${method} ${path} ${status}: ${String(error)}`]
  }
}

function faultsIn(operation: Node, { status, headers, body, complete }: Exchange): readonly string[] {
  const response = at(operation, 'responses', String(status))
  if (Object.keys(response).length === 0) return [`answers ${status}, which is not declared`]
  const type = String(headers['content-type'] ?? '').replace(/;.*/, '')
  const content = at(response, 'content')
  if (!(type in content)) return [`has the content type ${type}, which is not declared`]
  const { schema } = at(content, type)
  // A stream that its reader left has no end, and an archive has no schema.
  if (schema === undefined || headers['content-encoding'] !== undefined) return []
  if (!complete && type === 'application/json') return []
  const validate = compiled(schema)
  return valuesIn(type, body.toString()).flatMap((value, place) => faultsOf(validate, value, place))
}

/** The JSON of an answer, or of each whole line or event of it. */
function valuesIn(type: string, text: string): readonly unknown[] {
  if (type === 'application/json') return [JSON.parse(text)]
  if (type === 'application/x-ndjson') return wholeParts(text, '\n').map(line => JSON.parse(line))
  return wholeParts(text, '\n\n').flatMap(event =>
    event.startsWith('data: ') ? [JSON.parse(event.slice('data: '.length))] : [],
  )
}

const wholeParts = (text: string, end: string): readonly string[] => text.split(end).slice(0, -1)

function faultsOf(validate: ValidateFunction, value: unknown, place: number): readonly string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${place} ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

const validators = new Map<string, ValidateFunction>()

function compiled(schema: unknown): ValidateFunction {
  const written = absolute(schema)
  const key = JSON.stringify(written)
  const validate = validators.get(key) ?? ajv.compile(written as Node)
  validators.set(key, validate)
  return validate
}

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replace('{id}', '[^/]+')}$`).test(path)

/** The schema with `additionalProperties: false` in every record that allows no others. */
function closedRecords(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closedRecords)
  if (typeof node !== 'object' || node === null) return node
  const closed = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closedRecords(value)]))
  const isRecord = 'properties' in node && 'type' in node && !('additionalProperties' in node)
  return isRecord ? { ...closed, additionalProperties: false } : closed
}

/** A schema whose references lead to the schemas of the document from anywhere. */
function absolute(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${ID}#/$defs/`))
}

function at(node: unknown, ...path: readonly string[]): Node {
  return asNode(path.reduce<unknown>((here, step) => asNode(here)[step], node))
}

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
