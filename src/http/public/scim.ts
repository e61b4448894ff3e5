import { isActive, setActive } from '../../gateway/accounts/deprovision.ts'
import { accountOf } from '../../gateway/accounts/sign-in/sign-in.ts'
import { validator } from '../../wire/openai/validate.ts'
import {
  listRecord,
  problemRecord,
  readFilter,
  readPatch,
  readPerson,
  readReplacement,
  readUserId,
  type ScimChange,
  type ScimPerson,
  type ScimProblem,
  userRecord,
} from '../../wire/scim/users.ts'
import type { HttpCall } from '../listener/call.ts'
import { readSmall } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'
import type { ClientEndpoint } from './client-family.ts'

/** Dependencies of the endpoints. */
type ScimApp = Pick<ClientApp, 'settings' | 'store'>

const USERS = '/scim/v2/Users'
const USER = `${USERS}/{id}`

/** Endpoints for an identity provider with the secret of `identity.scim`, which can deactivate and reactivate people and do nothing else. */
export const scimEndpoints: readonly ClientEndpoint[] = [
  { method: 'GET', path: USERS, who: 'provider', rate: 'reads', quiet: true, run: findUsers },
  { method: 'POST', path: USERS, who: 'provider', rate: 'reads', quiet: true, run: addUser },
  { method: 'GET', path: USER, who: 'provider', rate: 'reads', quiet: true, run: showUser },
  { method: 'PUT', path: USER, who: 'provider', rate: 'reads', quiet: true, run: changing(readReplacement) },
  { method: 'PATCH', path: USER, who: 'provider', rate: 'reads', quiet: true, run: changing(readPatch) },
  { method: 'DELETE', path: USER, who: 'provider', rate: 'reads', quiet: true, run: removeUser },
]

/** Finds an account by `externalId` only. A provider that filters by `userName` gets an empty list, and then sends the user. */
async function findUsers({ settings, store }: ScimApp, call: HttpCall): Promise<void> {
  const filter = new URL(call.request.url ?? '', 'http://gateway').searchParams.get('filter')
  if (filter === null) return answer(call, 200, listRecord([]))
  const read = readFilter(filter)
  if ('detail' in read) return refuse(call, read)
  const { attribute, value } = read
  const person = attribute === 'id' ? readUserId(value) : { externalId: value, userName: value }
  const signIn = person && attribute !== 'username' ? signInOf(settings, person.externalId) : undefined
  const record = signIn && (await store.accounts.find(signIn))
  answer(call, 200, listRecord(record && person ? [userRecord(person, record.terms.deactivated !== true)] : []))
}

/** Adding an existing user returns it, so that a provider can repeat an interrupted assignment. */
async function addUser(app: ScimApp, call: HttpCall): Promise<void> {
  const read = await readUser(call)
  if (!read) return
  const person = readPerson(read)
  if ('detail' in person) return refuse(call, person)
  const change = readReplacement(read)
  if ('detail' in change) return refuse(call, change)
  await applied(app, person, change)
  answer(call, 201, userRecord(person, change.active !== false))
}

async function showUser({ settings, store }: ScimApp, call: HttpCall, id: string): Promise<void> {
  const person = readUserId(id)
  if (!person) return refuse(call, NO_USER)
  answer(call, 200, userRecord(person, await isActive(store.accounts, signInOf(settings, person.externalId))))
}

function changing(readChange: (body: Parameters<typeof readPatch>[0]) => ScimChange | ScimProblem) {
  return async (app: ScimApp, call: HttpCall, id: string): Promise<void> => {
    const body = await readUser(call)
    if (!body) return
    const person = readUserId(id)
    if (!person) return refuse(call, NO_USER)
    const change = readChange(body)
    if ('detail' in change) return refuse(call, change)
    await applied(app, person, change)
    const signIn = signInOf(app.settings, person.externalId)
    answer(call, 200, userRecord(person, await isActive(app.store.accounts, signIn)))
  }
}

/** Providers delete people whom they deactivated earlier. */
async function removeUser(app: ScimApp, call: HttpCall, id: string): Promise<void> {
  const person = readUserId(id)
  if (!person) return refuse(call, NO_USER)
  await applied(app, person, { active: false })
  call.empty(204, UNCACHED)
}

/** Applies a change to both ids if a provider changes `externalId`, so that nobody who leaves stays active under the old one. */
async function applied({ settings, store }: ScimApp, person: ScimPerson, change: ScimChange): Promise<void> {
  const { active, externalId = person.externalId } = change
  if (active === undefined) return
  for (const each of new Set([person.externalId, externalId]))
    await setActive(store.accounts, signInOf(settings, each), active)
}

const signInOf = ({ identity }: ScimApp['settings'], externalId: string): string =>
  accountOf(identity?.issuer ?? '', externalId)

const NO_USER: ScimProblem = { status: 404, detail: 'there is no such user: send POST first, which answers with an id' }

const anyObject = validator({ type: 'object' })

/** The body; undefined if it was refused. */
async function readUser(call: HttpCall): Promise<Parameters<typeof readPatch>[0] | undefined> {
  const read = await readSmall(call, anyObject, '', BODY_MAX, isScim)
  if (!('denial' in read)) return read.body
  call.deny(read.denial)
  return undefined
}

const isScim = (type: string): boolean => /^application\/(?:scim\+)?json[ \t]*(?:;|$)/i.test(type)

/** Bytes. Users of Entra have some twenty attributes. */
const BODY_MAX = 65_536

const refuse = (call: HttpCall, problem: ScimProblem): void => answer(call, problem.status, problemRecord(problem))

const answer = (call: HttpCall, status: number, body: object): void => call.json(status, body, UNCACHED)
