import { LONGEST_AGENT_TOKEN } from '../../gateway/accounts/sign-in/agent-tokens.ts'
import type { SignIn } from '../../gateway/accounts/sign-in/sign-in.ts'
import { invalid } from '../../policy/denial.ts'
import { type Caller, isFrozen } from '../../policy/facts.ts'
import { frozenDenial } from '../../policy/frozen.ts'
import { planName } from '../../policy/plan.ts'
import { validator } from '../../wire/openai/validate.ts'
import { checkOf } from '../../wire/schema/json-schema.ts'
import { closed, optional } from '../../wire/schema/schema.ts'
import { SPAN } from '../../wire/wished-key.ts'
import { spanIn } from '../key-fields.ts'
import type { HttpCall } from '../listener/call.ts'
import { readSmall } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of the endpoint. */
type AgentTokensApp = Pick<ClientApp, 'config' | 'agentTokens'>

const check = validator(checkOf(closed({ expires_in: optional(SPAN) })))

/** POST /v1/agent-tokens: a token for the agents of the person who signed in, of at most an hour. */
export async function issueAgentToken(
  { config, agentTokens }: AgentTokensApp,
  call: HttpCall,
  caller: Caller,
  signIn: SignIn,
): Promise<void> {
  const read = await readSmall(call, check, '{}')
  if ('denial' in read) return call.deny(read.denial)
  const life = spanIn(read.body.expires_in, 'expires_in')
  if ('denial' in life) return call.deny(life.denial)
  const { span = LONGEST_AGENT_TOKEN } = life
  if (span > LONGEST_AGENT_TOKEN) return call.deny(invalid('expires_in', 'must be at most 1h').denial)
  // A token of a frozen account would only be refused later.
  if (isFrozen(caller)) return call.deny(frozenDenial(caller.terms))
  const issued = await agentTokens?.issue(signIn, span)
  if (!issued) return call.deny({ code: 'NOT_FOUND', problem: NO_SECRET })
  const { token, expiresAt } = issued
  const { account } = caller
  const expires = Math.floor(expiresAt / 1000)
  call.json(200, { object: 'agent_token', token, expires, account, plan: planName(config, caller) }, UNCACHED)
}

const NO_SECRET =
  'This gateway issues no agent tokens: gateways that share a Redis need the same `identity.agent_secret`. Use a key.'
