import { ROLES } from '../admin/role.ts'
import { REPEAT_HEADER, USER_HEADER } from '../admin/user.ts'
import { errorCodes, type OperatorErrorCode } from '../errors/codes.ts'
import { FILE_PROBLEM } from '../errors/file-problem.ts'
import { type JsonSchema, jsonSchemaOf, propertiesOf, type Writing } from '../schema/json-schema.ts'
import {
  type AnySchema,
  type Fields,
  fixed,
  list,
  optional,
  record,
  schemaIn,
  text,
  whole,
  word,
} from '../schema/schema.ts'
import type { AdminCall } from './call.ts'
import { ADMIN_CALLS, type NamedCall } from './calls.ts'
import { isName } from './fields.ts'

/** The names of a deployment. */
interface Deployment {
  readonly version: string
  readonly brand: string
  /** Where its admin listener is reached, as far as it is known. */
  readonly url?: string | undefined
}

/** The admin API as an OpenAPI 3.1 document, made of the declarations of its calls. */
export function adminDocument({ version, brand, url }: Deployment): JsonSchema {
  const schemas: Record<string, JsonSchema> = {}
  const writing: Writing = {
    refer: (name, written) => {
      // Set first, so that a recursive schema is written once.
      if (!(name in schemas)) {
        schemas[name] = {}
        schemas[name] = written()
      }
      return { $ref: `#/components/schemas/${name}` }
    },
  }
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const named of ADMIN_CALLS) {
    const { path, method } = named.call
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(named, writing, brand) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Admin API',
      version,
      description: `The API for operators, served only on the admin listener. Each role includes the permissions of those before it: ${ROLES.join(', ')}.`,
    },
    ...(url !== undefined && { servers: [{ url }] }),
    security: [{ operator: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        operator: {
          type: 'http',
          scheme: 'bearer',
          description:
            "The admin token, the token of a console session, or the access token of a sign-in that `identity` lists. If `server.admin_tls` requires certificates, the connection's certificate identifies the operator, and no bearer is needed.",
        },
      },
    },
  }
}

function operationOf({ family, name, call }: NamedCall, writing: Writing, brand: string): JsonSchema {
  const { needs, summary, body } = call
  const parameters = [...pathParameter(call), ...queryParameters(call.query ?? {}, writing), ...headerParameters(call)]
  return {
    operationId: name,
    tags: [family],
    summary,
    ...(needs === 'anyone' ? { security: [] } : { description: `Needs the role ${needs}.`, 'x-role': needs }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: Object.values(body.fields).some(field => !('presence' in field)),
        content: { 'application/json': { schema: jsonSchemaOf(body, writing) } },
      },
    }),
    responses: { 200: { description: 'OK', content: contentOf(call, writing) }, ...errorsOf(call, writing, brand) },
  }
}

const pathParameter = ({ path, id }: AdminCall): readonly JsonSchema[] =>
  path.includes('{id}')
    ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, ...(id && { description: id }) }]
    : []

function queryParameters(query: Fields, writing: Writing): readonly JsonSchema[] {
  const { properties, required } = propertiesOf(query, writing, true)
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    // Several values stand in one parameter, with commas between.
    ...(schema.type === 'array' && { explode: false }),
    schema,
  }))
}

const headerParameters = ({ method, needs, repeats }: AdminCall): readonly JsonSchema[] => [
  ...(method === 'POST' && needs !== 'anyone'
    ? [
        {
          name: USER_HEADER,
          in: 'header',
          description: "The operator's name for the audit, together with the admin token. Required with a certificate.",
          schema: { type: 'string', maxLength: 64 },
        },
      ]
    : []),
  ...(repeats
    ? [
        {
          name: REPEAT_HEADER,
          in: 'header',
          description:
            'A repetition with the same value returns the key that was made first. Choose a value that is hard to guess, such as a UUID.',
          schema: { type: 'string', minLength: 20, maxLength: 255 },
        },
      ]
    : []),
]

function contentOf({ answer, lines, events, others = [] }: AdminCall, writing: Writing): JsonSchema {
  const media: Record<string, AnySchema | undefined> = {
    'application/json': answer,
    'application/x-ndjson': lines,
    'text/event-stream': events,
  }
  const described = Object.entries(media).flatMap(([type, schema]) =>
    schema ? [[type, { schema: jsonSchemaOf(schema, writing) }] as const] : [],
  )
  return Object.fromEntries([...described, ...others.map(type => [type, {}] as const)])
}

const FLAT = { error: text('The problem and its remedy.') }
const PROBLEMS = {
  problems: list(FILE_PROBLEM),
  text: text('The problems in code frames, as `svcctl validate` prints them.'),
}

/** The codes whose bodies have more than a text. */
const BODIES: Partial<Record<OperatorErrorCode, Fields>> = {
  RELOAD_REFUSED: PROBLEMS,
  REVISION_INVALID: PROBLEMS,
  REVISION_CHANGED: { revision: text('The one in use.') },
  APPLY_REFUSED: {
    ...PROBLEMS,
    plans_in_use: optional(
      list(record({ plan: text(), accounts: whole() }), 'Plans that would be removed while accounts are on them.'),
    ),
  },
}

/** The meaning of codes for operators, where clients read another. */
const MEANINGS: Partial<Record<OperatorErrorCode, string>> = {
  INVALID_TOKEN: 'the bearer or certificate belongs to no operator',
  FORBIDDEN: "the operator's role is not sufficient",
  GROUPS_UNREADABLE: 'the groups in the access token cannot be read',
  NOT_FOUND: 'nothing has this name or id',
}

/** The 429 of sign-ins that failed too often, in the form of every 429. */
const TOO_MANY_TRIES = record(
  {
    error: record({
      code: fixed('rate_limit_exceeded'),
      type: fixed('requests'),
      message: text(),
      retry_after_ms: whole(),
      docs: text(),
    }),
  },
  'TooManyTries',
)

/** The error codes of every call, and those that it declares. */
function codesOf({ needs, method, errors = [], query, body }: AdminCall): readonly OperatorErrorCode[] {
  const names = Object.values({ ...query, ...body?.fields }).some(field => isName(schemaIn(field)))
  const ofBodies = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const
  return [
    ...(['VALIDATION_ERROR', 'INVALID_TOKEN'] as const),
    ...(needs === 'anyone' ? [] : (['FORBIDDEN', 'GROUPS_UNREADABLE', 'IDENTITY_UNAVAILABLE'] as const)),
    ...(method === 'POST' ? ofBodies : []),
    ...(['OVERLOADED', 'DRAINING', 'STORE_UNAVAILABLE', 'INTERNAL'] as const),
    ...(names && !errors.includes('NOT_FOUND') ? (['NOT_FOUND'] as const) : []),
    ...errors,
  ]
}

function errorsOf(call: AdminCall, writing: Writing, brand: string): JsonSchema {
  const byStatus = new Map<number, readonly OperatorErrorCode[]>()
  for (const code of codesOf(call)) {
    const { status } = errorCodes[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const answers = [...byStatus].map(([status, codes]) => [status, errorAnswer(codes, writing, brand)] as const)
  const limited = errorAnswerOf(
    'Too many operator sign-ins from this address failed within a minute.',
    jsonSchemaOf(TOO_MANY_TRIES, writing),
    brand,
  )
  return Object.fromEntries([...answers, [429, limited] as const])
}

function errorAnswer(codes: readonly OperatorErrorCode[], writing: Writing, brand: string): JsonSchema {
  const simple = codes.filter(code => !BODIES[code])
  const shaped = codes.flatMap(code => {
    const more = BODIES[code]
    return more ? [record({ ...FLAT, code: fixed(code), ...more }, code)] : []
  })
  const bodies = [...(simple.length > 0 ? [record({ ...FLAT, code: word(simple) })] : []), ...shaped]
  const schemas = bodies.map(body => jsonSchemaOf(body, writing))
  const meanings = codes.map(code => `\`${code}\`: ${MEANINGS[code] ?? errorCodes[code].reason}`)
  return errorAnswerOf(meanings.join('; '), schemas.length === 1 ? schemas[0] : { oneOf: schemas }, brand)
}

const errorAnswerOf = (description: string, schema: JsonSchema | undefined, brand: string): JsonSchema => ({
  description,
  headers: {
    [`x-${brand}-error-code`]: { description: 'The code of the error.', schema: { type: 'string' } },
    'x-request-id': { description: 'The id of the request, for the log.', schema: { type: 'string' } },
  },
  content: { 'application/json': { schema } },
})
