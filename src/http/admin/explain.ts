import { readLimits } from '../../gateway/accounts/limit-uses.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { Config, Pool } from '../../policy/config.ts'
import type { LimitUse } from '../../policy/counters/limit-use.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { CaseKind, Path } from '../../simulate/endpoints.ts'
import { isPath, PATHS, pathOf } from '../../simulate/endpoints.ts'
import { kindOf, lowNames, sentBy, textOfTokens } from '../../simulate/scenario.ts'
import { shownRemedy, shownStep } from '../../simulate/shown.ts'
import { type Trial, type TrialRequest, tryRequest } from '../../simulate/trial.ts'
import type { TrialSender } from '../../simulate/trial-sender.ts'
import { type ShownExplained, shownPrice } from '../../wire/admin/explained.ts'
import { shownKey } from '../../wire/admin/key.ts'
import { shownLimitUse } from '../../wire/admin/limit-use.ts'
import { NOTHING_CACHED, shownChoice } from '../../wire/admin/pool-choice.ts'
import type { BodyOf } from '../../wire/admin-api/call.ts'
import { explainRequest } from '../../wire/admin-api/requests.ts'
import { usdText } from '../../wire/money.ts'
import { poolNow } from '../shown-pools.ts'
import { shownOf } from './accounts.ts'
import { type AdminContext, type AdminOp, accountNamed, keyNamed, opOf } from './op.ts'
import { turnsThatSpent } from './session-turns.ts'

/** Whether a request of an account would be served now, and why. It changes nothing. */
export const explainOp: AdminOp = opOf(explainRequest, explain)

type Asked = BodyOf<typeof explainRequest>

async function explain(context: AdminContext, asked: Asked): Promise<ShownExplained | Denied> {
  const sender = await senderIn(context, asked)
  if ('denial' in sender) return sender
  const request = requestIn(context.config, asked)
  if ('denial' in request) return request
  const { pools } = context
  const running = pools && { ...context, pools }
  const loads = running && { loadOf: (pool: Pool) => poolNow(running, pool) }
  const trial = await tryRequest({ ...context, ...loads }, sender, request)
  return shownTrial(context, sender, request, trial)
}

async function senderIn(context: AdminContext, asked: Asked): Promise<TrialSender | Denied> {
  const { account: named, key: keyText, address } = asked
  if (named === undefined && keyText === undefined) return invalid('account', 'or key must say who sends the request')
  const key = keyText === undefined ? undefined : await keyNamed(context, keyText)
  if (key && 'denial' in key) return key
  const account = await accountNamed(context, named ?? key?.account ?? '')
  if ('denial' in account) return account
  if (key && key.account !== account.account) return invalid('key', `${key.id} is a key of another account`)
  return { account, ...(key && { key }), ...(address !== undefined && { address }) }
}

/** The request that is asked about: as it is written, or the shortest one with a model, a length and a cap. */
function requestIn(config: Config, { path, headers = {}, body, ...short }: Asked): TrialRequest | Denied {
  if (path !== undefined && !isPath(path)) return invalid('path', `must be one of ${PATHS.join(', ')}`)
  const sentHeaders = lowNames(headers)
  if (body !== undefined) {
    const other = SHORT.find(name => short[name] !== undefined)
    if (other) return invalid(other, 'cannot be combined with body, which is the whole request')
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    return { path: path ?? PATHS[0], body: bytes, headers: sentHeaders }
  }
  const kind = path === undefined ? kindOf(config, short.model) : kindAt(path)
  if (kind === undefined) return invalid('path', 'of this dialect needs a body')
  return { ...shortRequest(config, kind, short), headers: sentHeaders }
}

const SHORT = ['model', 'text', 'prompt_tokens', 'max_tokens', 'stream', 'tools'] as const

const kindAt = (path: Path): CaseKind | undefined =>
  (['chat', 'embedding', 'image'] as const).find(kind => pathOf[kind] === path)

const FIELD = { chat: 'chat', embedding: 'input', image: 'prompt' } as const

function shortRequest(config: Config, kind: CaseKind, short: Pick<Asked, (typeof SHORT)[number]>) {
  const { model, text, prompt_tokens: tokens, max_tokens, stream, tools } = short
  return sentBy(config, {
    [FIELD[kind]]: text ?? (tokens === undefined ? 'Hello' : textOfTokens(tokens)),
    ...(model !== undefined && { model }),
    ...(max_tokens !== undefined && { max_tokens }),
    ...(stream !== undefined && { stream }),
    ...(tools && tools.length > 0 && { tools }),
  })
}

async function shownTrial(
  context: AdminContext,
  sender: TrialSender,
  { path }: TrialRequest,
  trial: Trial,
): Promise<ShownExplained> {
  const { config } = context
  const { at, facts, decision, admitted, refusal, pools, steps, remedies } = trial
  const [account, limits] = await Promise.all([shownOf(context, sender.account), usesOf(context, sender)])
  const { answer } = refusal ?? {}
  const plan = account.plan === null ? undefined : config.plans.get(account.plan)
  return {
    verdict: refusal ? 'deny' : 'allow',
    at: new Date(at).toISOString(),
    revision: config.revision,
    account,
    key: sender.key ? shownKey(config, sender.key) : null,
    path,
    asked: facts?.request.model ?? null,
    model: decision?.model.name ?? null,
    route: decision?.route?.name ?? null,
    pools: pools.map(({ name, state, choice }) => ({
      pool: name,
      state,
      ...(choice && { choice: shownChoice(choice) }),
    })),
    max_tokens: facts?.request.kind === 'chat' ? (admitted?.hold.output ?? null) : null,
    held: admitted ? heldBy(admitted) : null,
    tools: [...config.tools.keys()].map(tool => ({ tool, allowed: plan?.tools.has(tool) === true })),
    limits: limits.map(shownLimitUse),
    answer: answer ? { status: answer.status, headers: answer.headers, body: answer.body ?? null } : null,
    stages: steps.map(shownStep),
    allowed_if: remedies.map(shownRemedy),
    notes: await notesOn(context, sender, trial),
  }
}

function heldBy({ hold, decision: { claims } }: NonNullable<Trial['admitted']>): ShownExplained['held'] {
  return {
    usd: usdText(hold.cost),
    input_tokens: claims.input,
    output_tokens: hold.output * claims.output.choices,
    ...shownPrice(claims.spend.price),
  }
}

/** The use of every limit that may refuse the request; none of an account that is gone by now. */
async function usesOf({ config, store }: AdminContext, { account, key }: TrialSender): Promise<readonly LimitUse[]> {
  const usage = await store.accounts.readUsage(account.account, config.calendar)
  if (!usage) return []
  const { kind, terms } = usage.record
  const org = terms.org === undefined ? undefined : await store.orgs.find(terms.org)
  const limited = { account: account.account, kind, terms, ...(org && { orgTerms: org.terms }), keys: [key] }
  return readLimits(config, store, limited, usage)
}

async function notesOn(
  { store, pools }: AdminContext,
  { account, key, address }: TrialSender,
  { at, facts, refusal, pools: tried }: Trial,
): Promise<readonly string[]> {
  const notes: string[] = []
  const code = refusal?.denial.code
  if (account.terms.deactivated)
    notes.push('The identity provider deactivated this person: reactivate them there, and the account is thawed.')
  else if (code === 'ACCOUNT_FROZEN')
    notes.push(`\`svcctl accounts thaw ${frozenOf(account, refusal?.denial)}\` thaws it.`)
  if (refusal && 'rule' in refusal.denial && refusal.denial.type === 'session_limit') {
    const refused = { account: account.account, session: facts?.request.session, at, limit: refusal.denial.rule }
    notes.push(...(await turnsThatSpent(store.ledger, refused)))
  }
  if (code === 'UPSTREAMS_EXHAUSTED' && tried.some(({ state }) => state === 'ejected'))
    notes.push(
      'The pool that was ejected longest ago is tried all the same, and serves the request if it has recovered.',
    )
  if (!pools) notes.push('No gateway runs, so every pool counts as healthy.')
  if (!pools && tried.some(({ choice }) => choice)) notes.push(NOTHING_CACHED)
  if (key?.addresses && address === undefined)
    notes.push(
      `The key works only from ${key.addresses.join(', ')}. The question names no address, so this was not checked.`,
    )
  if (!key && account.kind === 'developer') notes.push(...notesOnKeys(await store.keys.listOf(account.account)))
  return notes
}

const frozenOf = (account: AccountRecord, denial: object | undefined): string =>
  denial && 'org' in denial ? `org:${denial.org}` : account.account

/** Notes on keys of the account that an answer without a key does not speak for. */
function notesOnKeys(keys: readonly KeyRecord[]): readonly string[] {
  const working = keys.filter(({ status }) => status === 'active')
  if (keys.length > 0 && working.length === 0) return ['None of its keys works: this is the answer to a sign-in.']
  const narrowed = working.filter(({ models, limits, addresses }) => models ?? limits ?? addresses)
  if (narrowed.length === 0) return []
  const names = narrowed.map(({ id, name }) => (name === undefined ? id : `${id} (${name})`)).join(', ')
  return [
    `Keys with their own limits, models or addresses may be refused although the account is not: ask about ${names} by key.`,
  ]
}
