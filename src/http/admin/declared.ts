import type { Denied } from '../../policy/denial.ts'
import type { Role } from '../../wire/admin/role.ts'
import type { AdminCall, AnswerOf, BodyOf, QueryOf } from '../../wire/admin-api/call.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { deniedBy, validator } from '../../wire/openai/validate.ts'
import { checkOf } from '../../wire/schema/json-schema.ts'
import type { Fields } from '../../wire/schema/schema.ts'
import type { HttpCall } from '../listener/call.ts'
import { readSmall } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { KnownOperator } from './operator.ts'
import type { OperatorApp } from './operator-app.ts'
import type { OperatorEndpoint } from './operator-family.ts'
import { readParameters } from './query-parameters.ts'

/** An operator's call: its query and body, which fit its declaration, and the operator. */
export interface Asked<C extends AdminCall> {
  readonly query: QueryOf<C>
  readonly body: BodyOf<C>
  readonly by: string
  readonly operator: KnownOperator
  /** The value of `{id}` in the path. */
  readonly id: string
}

type ForOperators = AdminCall & { readonly needs: Role }

/** The endpoint of a call that answers with JSON. */
export const answering = <C extends ForOperators>(
  declared: C,
  answer: (app: OperatorApp, asked: Asked<C>, call: HttpCall) => Promise<AnswerOf<C> | Denied> | AnswerOf<C> | Denied,
): OperatorEndpoint =>
  running(declared, async (app, asked, call) => {
    const given = (await answer(app, asked, call)) as object
    if ('denial' in given) call.deny((given as Denied).denial)
    else call.json(200, given, UNCACHED)
  })

/** The endpoint of a call that answers by itself, such as with a stream. */
export function running<C extends ForOperators>(
  declared: C,
  run: (app: OperatorApp, asked: Asked<C>, call: HttpCall) => Promise<void>,
): OperatorEndpoint {
  const { method, path, needs, query: fields } = declared
  const readBody = bodyReader(declared)
  return {
    ...{ method, path, who: 'operator', needs },
    run: async (app, call, by, id, operator) => {
      const query = fields ? readParameters(call, fields) : {}
      if ('denial' in query) return call.deny((query as Denied).denial)
      const read = await readBody(call)
      if ('denial' in read) return call.deny(read.denial)
      await run(app, { query, body: read.body, by, id, operator } as Asked<C>, call)
    },
  }
}

/** Reads the body of a call as its declaration says; undefined where it has none. */
export function bodyReader<C extends AdminCall>(
  declared: C,
): (call: HttpCall) => Promise<{ readonly body: BodyOf<C> } | Denied> {
  const { body, mostBytes } = declared
  if (!body) return async () => ({ body: undefined as BodyOf<C> })
  const mayBeEmpty = Object.values(body.fields).every(field => 'presence' in field)
  const check = validator(checkOf(body))
  return async call => {
    const read = await readSmall(call, check, mayBeEmpty ? '{}' : '', mostBytes)
    return 'denial' in read ? read : { body: withDefaults(body.fields, read.body) }
  }
}

/** Checks a body that did not travel. */
export function checkedBody<C extends AdminCall>({ body }: C, sent: JsonObject): { readonly body: BodyOf<C> } | Denied {
  if (!body) return { body: undefined as BodyOf<C> }
  return deniedBy(sent, validator(checkOf(body))) ?? { body: withDefaults(body.fields, sent) }
}

/** A body with the values of the fields that it leaves out. */
function withDefaults<Body>(fields: Fields, body: JsonObject): Body {
  const full: Record<string, unknown> = { ...body }
  for (const [name, field] of Object.entries(fields))
    if (full[name] === undefined && 'fallback' in field) full[name] = field.fallback
  return full as Body
}
