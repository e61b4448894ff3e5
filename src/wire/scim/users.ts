import { isObject, type JsonObject } from '../json-safety.ts'

/** A person as the identity provider names them. */
export interface ScimPerson {
  /** The value of `account_claim` in the person's tokens. */
  readonly externalId: string
  readonly userName: string
}

/** The refusal of a request to `/scim/v2/Users`. */
export interface ScimProblem {
  readonly status: 400 | 404
  /** RFC 7644 3.12. */
  readonly scimType?: 'invalidFilter' | 'invalidValue' | 'invalidSyntax'
  readonly detail: string
}

const URN = 'urn:ietf:params:scim'

/** The longest name or id. */
const TEXT_MAX = 255

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_MAX

/**
 * The id of a user holds the names that the provider gave, so that the gateway stores nothing of people who never sign in and are
 * never deactivated. The id needs no signature, because a holder of the secret may name anybody.
 */
export const userIdOf = ({ externalId, userName }: ScimPerson): string =>
  Buffer.from(JSON.stringify([externalId, userName])).toString('base64url')

/** The person in an id; undefined for a text that is none. */
export function readUserId(id: string): ScimPerson | undefined {
  try {
    const [externalId, userName, ...more]: unknown[] = JSON.parse(Buffer.from(id, 'base64url').toString())
    const person = isText(externalId) && isText(userName) && more.length === 0 && { externalId, userName }
    return person && userIdOf(person) === id ? person : undefined
  } catch {
    // Not JSON, or no list.
    return undefined
  }
}

/** The person in the body of a POST. */
export function readPerson(body: JsonObject): ScimPerson | ScimProblem {
  const { externalId, userName } = body
  if (!isText(userName)) return invalidValue('userName must be a text of 1 to 255 characters')
  if (isText(externalId)) return { externalId, userName }
  return invalidValue(
    'externalId must be a text of 1 to 255 characters: map it to the value that tokens have in `identity.account_claim`',
  )
}

/** The filters of Okta and Entra: `userName eq "ada@example.com"`. Anything else is refused, never run. */
export function readFilter(filter: string): { readonly attribute: string; readonly value: string } | ScimProblem {
  const { attribute, text } =
    /^(?<attribute>userName|externalId|id) eq (?<text>"(?:[^"\\]|\\["\\/])*")$/i.exec(filter)?.groups ?? {}
  if (attribute === undefined || text === undefined || filter.length > FILTER_MAX)
    return {
      status: 400,
      scimType: 'invalidFilter',
      detail: 'the filter must be one comparison: userName, externalId or id, then eq and a text in quotes',
    }
  return { attribute: attribute.toLowerCase(), value: text.slice(1, -1).replace(/\\(.)/g, '$1') }
}

const FILTER_MAX = 1000

/** Changes of a PUT or a PATCH: whether the person is active, where it says so, and another `externalId`. */
export interface ScimChange {
  readonly active?: boolean
  readonly externalId?: string
}

/** Reads a whole user, of which everything but these two is ignored. Without `active`, a user is active. */
export function readReplacement(body: JsonObject): ScimChange | ScimProblem {
  const { active = true, externalId } = body
  return change({ active, externalId })
}

/** Reads the operations of a PATCH in the spellings of Okta and Entra; the last one decides. */
export function readPatch(body: JsonObject): ScimChange | ScimProblem {
  const { Operations: operations } = body
  if (!Array.isArray(operations) || !operations.every(isObject))
    return { status: 400, scimType: 'invalidSyntax', detail: 'Operations must be a list of operations' }
  let read: Readonly<Record<string, unknown>> = {}
  for (const operation of operations) {
    const { op, path, value } = operation
    const isRemoval = String(op).toLowerCase() === 'remove'
    if (isRemoval && nameOf(path) === 'active') return invalidValue('active cannot be removed: replace it by false')
    if (isRemoval) continue
    read = { ...read, ...(path === undefined ? named(value) : named({ [String(path)]: value })) }
  }
  return change(read)
}

/** The members of a value that are known here, in any case and with or without the schema before them. */
function named(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return {}
  const known: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(value)) {
    if (nameOf(name) === 'active') known.active = each
    if (nameOf(name) === 'externalid') known.externalId = each
  }
  return known
}

const nameOf = (path: unknown): string => String(path).toLowerCase().replace(`${URN}:schemas:core:2.0:user:`, '')

function change({ active, externalId }: Readonly<Record<string, unknown>>): ScimChange | ScimProblem {
  const isActive = active === undefined ? undefined : booleanIn(active)
  if (active !== undefined && isActive === undefined) return invalidValue('active must be true or false')
  return {
    ...(isActive !== undefined && { active: isActive }),
    ...(isText(externalId) && { externalId }),
  }
}

/** Entra writes `"False"`, and in older forms `[{ "value": "False" }]`. */
function booleanIn(value: unknown): boolean | undefined {
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value]
  const plain: unknown = isObject(only) && Object.hasOwn(only, 'value') ? only.value : only
  if (typeof plain === 'boolean') return plain
  const word = typeof plain === 'string' ? plain.toLowerCase() : ''
  return word === 'true' || (word === 'false' ? false : undefined)
}

const invalidValue = (detail: string): ScimProblem => ({ status: 400, scimType: 'invalidValue', detail })

/** A user as the provider reads it. */
export const userRecord = (person: ScimPerson, active: boolean): object => ({
  schemas: [`${URN}:schemas:core:2.0:User`],
  id: userIdOf(person),
  externalId: person.externalId,
  userName: person.userName,
  active,
  meta: { resourceType: 'User' },
})

/** The answer to a search, which finds one user or none. */
export const listRecord = (users: readonly object[]): object => ({
  schemas: [`${URN}:api:messages:2.0:ListResponse`],
  totalResults: users.length,
  startIndex: 1,
  itemsPerPage: users.length,
  Resources: users,
})

export const problemRecord = ({ status, scimType, detail }: ScimProblem): object => ({
  schemas: [`${URN}:api:messages:2.0:Error`],
  ...(scimType && { scimType }),
  detail,
  status: String(status),
})
