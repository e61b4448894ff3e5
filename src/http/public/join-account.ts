import { hashOfInvitation, invitedTo } from '../../gateway/accounts/invitations.ts'
import { countChange } from '../../gateway/accounts/own-keys.ts'
import type { SignIn } from '../../gateway/accounts/sign-in/sign-in.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { planOf } from '../../policy/plan.ts'
import { validator } from '../../wire/openai/validate.ts'
import type { HttpCall } from '../listener/call.ts'
import { readSmall } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of the endpoint. */
type JoinApp = Pick<ClientApp, 'config' | 'store'>

const check = validator({
  type: 'object',
  required: ['invitation'],
  properties: { invitation: { type: 'string', maxLength: 200 }, leave: { type: 'boolean' } },
  additionalProperties: false,
})

/**
 * POST /v1/account/join: the sign-in joins the account that an operator invited it to. Accounts are never merged: one that the sign-in
 * has already stays as it is, and the person has to say that they leave it.
 */
export async function joinAccount({ config, store }: JoinApp, call: HttpCall, person: SignIn): Promise<void> {
  const read = await readSmall(call, check)
  if ('denial' in read) return call.deny(read.denial)
  const invitation = String(read.body.invitation)
  const account = invitedTo(invitation)
  const crowded = await countChange(store.accounts, person.account)
  if (crowded) return call.deny(crowded.denial)
  if (account === undefined) return call.deny(NOT_INVITED.denial)
  const secret = hashOfInvitation(invitation)
  const stays = await staying({ store }, person, account, secret, read.body.leave === true)
  if (stays) return call.deny(stays.denial)
  const changed = await store.accounts.changeSignIns({
    account,
    change: { join: person.account, secret },
    by: person.account,
  })
  if (changed.outcome !== 'changed') return call.deny(REFUSALS[changed.outcome].denial)
  const { record } = changed
  call.account = account
  const plan = planOf(config, record)?.name ?? null
  call.json(200, { object: 'account', account, label: record.label, plan }, UNCACHED)
}

/** The reason why the sign-in keeps its account, for holders of an open invitation only. */
async function staying(
  { store }: Pick<JoinApp, 'store'>,
  person: SignIn,
  account: string,
  secret: string,
  isLeaving: boolean,
): Promise<Denied | undefined> {
  if (isLeaving) return undefined
  const [own, invited] = await Promise.all([store.accounts.find(person.account), store.accounts.find(account)])
  if (!own || invited?.signIns?.includes(person.account) || invited?.invitation?.hash !== secret) return undefined
  return invalid(
    'leave',
    `this sign-in already has the account ${own.account}. Accounts are never merged: its keys keep working and its usage stays there. Send \`leave: true\` to sign in to the other account from now on.`,
  )
}

const NOT_INVITED = invalid('invitation', 'is unknown, used or older than 24 hours: ask the operator for a new one')

const REFUSALS = {
  unknown: NOT_INVITED,
  'not-invited': NOT_INVITED,
  'not-joined': NOT_INVITED,
  full: invalid('invitation', 'is for an account with the maximum number of sign-ins: ask the operator'),
  'joined-other': invalid('invitation', 'cannot be used: this sign-in joined another account. Ask the operator'),
} as const
