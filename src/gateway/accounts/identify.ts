import type { Settings } from '../../config/settings.ts'
import type { Config } from '../../policy/config.ts'
import type { Denied } from '../../policy/denial.ts'
import type { Caller } from '../../policy/facts.ts'
import { claimedPlan, planName, planOf } from '../../policy/plan.ts'
import type { Alarm } from '../ports.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { KeyCaller, KeyStore } from '../store/key-store.ts'
import type { OrgStore } from '../store/org-store.ts'
import { isActive } from './deprovision.ts'
import type { Identified } from './identified.ts'
import type { KeyUses } from './key-uses.ts'
import { hashOf, isWellFormed } from './keys.ts'
import { MayOpen } from './may-open.ts'
import { isWithin, networkOf } from './networks.ts'
import { type AgentSignIn, type AgentTokens, agentPrefix } from './sign-in/agent-tokens.ts'
import type { SignIn, VerifyToken } from './sign-in/sign-in.ts'
import { isBadToken, tokenDenied } from './sign-in/sign-in.ts'

/** Says who sends a request, by its Authorization header or a key that stands for one. Rejects with StoreUnavailable or ProviderUnavailable. */
export interface Identify {
  /** Accepts a key or a sign-in token. */
  bearer(authorization: string | undefined, client: AddressedClient): Promise<Identified | Denied>
  /** Identifies the caller of a request that is to be admitted. The caller may be recalled from memory. */
  applicant(authorization: string | undefined, client: AddressedClient): Promise<Identified | Denied>
  /** Accepts a sign-in token only: a key is refused what it would `of`. */
  signIn(authorization: string | undefined, of: SignInsOnly): Promise<SignedIn | Denied>
  /** Identifies the person of a sign-in that was accepted before, and whose claims were kept. */
  carried(signIn: AgentSignIn): Promise<Identified | Denied>
  /** Accepts the sign-in token of a person, who may not have an account yet. */
  person(authorization: string | undefined): Promise<SignIn | Denied>
}

/** The right of people who sign in that neither a key nor a service has. */
export type SignInsOnly = 'keys' | 'notices' | 'agent-tokens' | 'devices' | 'join'

/** A person who signed in, with their account. */
export interface SignedIn extends Identified {
  readonly signIn: SignIn
}

/** A client whose address is resolved if a key needs it. */
export interface AddressedClient {
  readonly clientAddress: string
}

/** Dependencies for identifying callers. */
export interface IdentifyPorts {
  readonly config: Config
  readonly settings: Settings
  readonly alarm: Alarm
  readonly keyUses: Pick<KeyUses, 'note'>
  /** Judges sign-in tokens; absent where the configuration has no issuer. */
  readonly verify?: VerifyToken
  /** Reads agent tokens; absent where people do not sign in. */
  readonly agentTokens?: Pick<AgentTokens, 'read'>
  /** The logins that some of them come of; absent where the files take none. */
  readonly logins?: { isOpen(token: AgentSignIn, network: string): Promise<boolean> }
  readonly store: {
    readonly keys: Pick<KeyStore, 'findCaller' | 'recallCaller'>
    readonly accounts: Pick<AccountStore, 'signIn' | 'find' | 'findByLabel'>
    readonly orgs: Pick<OrgStore, 'open'>
  }
}

export function identifyWith(ports: IdentifyPorts): Identify {
  const { config, settings, alarm } = ports
  const { brand } = settings
  const issuer = ports.verify && settings.identity?.issuer
  const watches = [claimWatch(config, alarm), planWatch(config, alarm)]
  const watched = <T extends Identified>(identified: T | Denied) => {
    if (!('denial' in identified)) for (const watch of watches) watch(identified.caller)
    return identified
  }
  const bad = (problem: string): Denied => ({ denial: { code: 'INVALID_TOKEN', problem } })
  const neither = bad(
    issuer === undefined
      ? `Send \`Authorization: Bearer ${brand}_…\`; this is not a key.`
      : `Send \`Authorization: Bearer\` with a key, ${brand}_…, or an access token of ${issuer}; this is neither.`,
  )
  const signInFirst =
    issuer === undefined
      ? 'This gateway has no sign-in: ask the operator for a key.'
      : `Sign in at ${issuer}, and send \`Authorization: Bearer\` with its access token.`

  const mayOpen = new MayOpen(ports.store.accounts)
  const orgs = new OpenOrgs(ports.store.orgs)
  const personIn = (authorization: string, of: SignInsOnly) => {
    const token = tokenOf(authorization)
    const isKey = token?.startsWith(`${brand}_`) === true
    const isAgent = token?.startsWith(agentPrefix(brand)) === true
    const { ofKey, ofService } = REFUSALS[of]
    const what = isKey ? `${ofKey} ` : isAgent ? 'An agent token is for inference only. ' : ''
    // Who has a key needs no other one, but somebody who sees to what keys do not do.
    const todo =
      isKey && issuer === undefined && of !== 'keys' ? 'This gateway has no sign-in: ask the operator.' : signInFirst
    return verified(ports, token, bad(what + todo), bad(ofService))
  }

  const byBearer = async (authorization: string | undefined, client: AddressedClient, mayRecall: boolean) => {
    if (!authorization) return { denial: { code: 'NO_AUTH' } } as const
    const token = tokenOf(authorization)
    if (token?.startsWith(agentPrefix(brand)))
      return watched(await byAgentToken(ports, mayOpen, orgs, { token, client }, neither))
    if (!token?.startsWith(`${brand}_`))
      return watched(await bySignIn(ports, mayOpen, orgs, await verified(ports, token, neither)))
    return watched(await byKey(ports, token, client, mayRecall))
  }

  return {
    bearer: (authorization, client) => byBearer(authorization, client, false),
    applicant: (authorization, client) => byBearer(authorization, client, true),
    signIn: async (authorization, of) => {
      if (!authorization) return { denial: { code: 'NO_AUTH', todo: signInFirst } }
      const signIn = await personIn(authorization, of)
      if ('denial' in signIn) return signIn
      const found = await bySignIn(ports, mayOpen, orgs, signIn)
      return watched('denial' in found ? found : { ...found, signIn })
    },
    carried: async signIn => watched(await bySignIn(ports, mayOpen, orgs, signIn)),
    person: async authorization =>
      authorization ? personIn(authorization, 'join') : { denial: { code: 'NO_AUTH', todo: signInFirst } },
  }
}

const tokenOf = (authorization: string): string | undefined => /^Bearer +(\S+)$/i.exec(authorization)?.[1]

async function byKey(
  ports: IdentifyPorts,
  key: string,
  client: AddressedClient,
  mayRecall: boolean,
): Promise<Identified | Denied> {
  const { config, settings, store, keyUses } = ports
  // The checksum refuses a mistyped key without asking the store.
  if (!isWellFormed(settings.brand, key)) return INVALID_KEY
  const keyHash = hashOf(key)
  const recalled = mayRecall && store.keys.recallCaller(keyHash)
  // Its use was noted when it was found.
  if (recalled && !keyDenial(config, recalled, client))
    return { confirm: () => byKey(ports, key, client, false), ...known(recalled, keyHash) }
  const caller = await store.keys.findCaller(keyHash)
  if (!caller) return INVALID_KEY
  const denied = keyDenial(config, caller, client)
  if (denied) return denied
  keyUses.note(keyHash, caller.account)
  return known(caller, keyHash)
}

function known(caller: KeyCaller, keyHash: string): Identified {
  return caller.apart === undefined ? { caller, keyHash } : { caller, keyHash, apart: caller.apart }
}

/** Why a key that works is not served. */
export function keyDenial(
  config: Config,
  { kind, addresses }: Pick<KeyCaller, 'kind' | 'addresses'>,
  client: AddressedClient,
): Denied | undefined {
  // Where guests are not served any more, their keys are none.
  if (kind === 'guest' && !config.guestPlan) return INVALID_KEY
  if (!addresses || isWithin(addresses, client.clientAddress)) return undefined
  return { denial: { code: 'ADDRESS_NOT_ALLOWED', address: client.clientAddress } }
}

const INVALID_KEY: Denied = { denial: { code: 'INVALID_KEY' } }

/** Why a key or a service is refused each right of people who sign in. */
const REFUSALS: Readonly<Record<SignInsOnly, { readonly ofKey: string; readonly ofService: string }>> = {
  keys: {
    ofKey: 'A key does not manage keys.',
    ofService: 'A service token cannot manage keys: a service needs none.',
  },
  notices: {
    ofKey: 'A key neither reads nor changes where notices go.',
    ofService: 'A service token cannot set up notices: people who sign in choose where they go.',
  },
  'agent-tokens': {
    ofKey: 'A key gets no agent token: agents can send the key itself.',
    ofService: 'A service token gets no agent token: a service sends its own token.',
  },
  devices: {
    ofKey: 'A key approves no sign-in of an agent.',
    ofService: 'A service token approves no sign-in of an agent: people do.',
  },
  join: {
    ofKey: 'A key joins no account: the person does.',
    ofService: 'A service token joins no account: people do.',
  },
}

/** Three parts of base64url, as every signed JWT has. RFC 7515 7.1. */
const JWT_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/

async function verified(
  { verify }: IdentifyPorts,
  token: string | undefined,
  otherwise: Denied,
  ofService?: Denied,
): Promise<SignIn | Denied> {
  if (!verify || token === undefined || !JWT_FORM.test(token)) return otherwise
  const judged = await verify(token)
  if (isBadToken(judged)) return tokenDenied(judged)
  return ofService && judged.isService ? ofService : judged
}

/** An agent token is the sign-in that asked for it, with less that it may do: its plan and account are looked up as that one's. */
async function byAgentToken(
  ports: IdentifyPorts,
  mayOpen: MayOpen,
  orgs: OpenOrgs,
  { token, client }: { readonly token: string; readonly client: AddressedClient },
  otherwise: Denied,
): Promise<Identified | Denied> {
  const read = ports.agentTokens?.read(token)
  if (!read) return otherwise
  if ('problem' in read) return { denial: { code: 'INVALID_TOKEN', problem: read.problem } }
  if (read.login !== undefined && !(await ports.logins?.isOpen(read, networkOf(client.clientAddress))))
    return LOGIN_OVER
  const found = await bySignIn(ports, mayOpen, orgs, read)
  return 'denial' in found ? found : { ...found, scope: 'inference' }
}

const LOGIN_OVER: Denied = {
  denial: { code: 'INVALID_TOKEN', problem: 'This Claude Code sign-in has ended: run /login.', isFinal: true },
}

async function bySignIn(
  { store }: IdentifyPorts,
  mayOpen: MayOpen,
  orgs: OpenOrgs,
  judged: Pick<SignIn, 'account' | 'plan' | 'org' | 'label' | 'isService' | 'issuedAt' | 'expiresAt'> | Denied,
): Promise<Identified | Denied> {
  if ('denial' in judged) return judged
  const refused = await mayOpen.refusalOf(judged)
  if (refused) return refused
  const { account, plan, org, label, issuedAt, expiresAt } = judged
  if (org !== undefined) await orgs.open(org)
  const caller = await store.accounts.signIn({
    account,
    ...(plan !== undefined && { claimed: plan }),
    ...(org !== undefined && { org }),
    ...(label !== undefined && { label }),
    issuedAt,
  })
  // A person who leaves an account that others joined too leaves it by their own record.
  if (caller.account !== account && !(await isActive(store.accounts, account)))
    return { denial: { code: 'ACCOUNT_FROZEN', by: 'provider' } }
  return { caller, person: account, expiresAt }
}

/** The orgs that groups name: each is opened once, before its first account. */
class OpenOrgs {
  readonly #orgs: Pick<OrgStore, 'open'>
  /** Bounded by the orgs that the files name. */
  readonly #opened = new Set<string>()

  constructor(orgs: Pick<OrgStore, 'open'>) {
    this.#orgs = orgs
  }

  async open(org: string): Promise<void> {
    if (this.#opened.has(org)) return
    await this.#orgs.open(org)
    this.#opened.add(org)
  }
}

/** At most so many claims are remembered, so that a provider that makes them up does not fill the memory. */
const MOST_CLAIMS = 1000

/** Alarms, once per value, of claims that name no plan: their accounts are on the default plan. */
function claimWatch(config: Config, alarm: Alarm): (caller: Caller) => void {
  const { defaultPlan, guestPlan } = config
  const reported = new Set<string>()
  return ({ account, terms: { claimed, override } }) => {
    if (claimed === undefined || override !== undefined || reported.has(claimed) || reported.size >= MOST_CLAIMS) return
    const plan = claimedPlan(config, claimed)
    if (plan && plan !== guestPlan) return
    reported.add(claimed)
    alarm(
      plan
        ? 'a sign-in claims the plan of guests, which it does not get'
        : 'a sign-in claims a plan that is not declared',
      { claimed: claimed.slice(0, 200), served: defaultPlan?.name, account },
    )
  }
}

/** Alarms, once per name, of plans that the files no longer declare: their accounts are denied everything. */
function planWatch(config: Config, alarm: Alarm): (caller: Caller) => void {
  // Operators choose these names, so they are few.
  const reported = new Set<string>()
  return caller => {
    if (planOf(config, caller)) return
    const plan = planName(config, caller)
    if (reported.has(plan)) return
    reported.add(plan)
    alarm('an account is denied everything: its plan is not declared', { plan, account: caller.account })
  }
}
