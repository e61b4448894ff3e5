import type { AccountUsage } from '../../gateway/store/account-store.ts'
import type { Config, EpochMs } from '../../policy/config.ts'
import { planName, planOf } from '../../policy/plan.ts'
import { usdText } from '../../wire/money.ts'
import type { LogEntry } from '../log-entry.ts'

/** One line of what operators follow. Prompts, answers and keys are in none of them. */
export type ShownEvent = ShownRequest | ShownStanding | ShownDropped

/** A request that is over, as the gateway's log has it. */
export interface ShownRequest {
  readonly event: 'request'
  readonly request_id: string
  readonly at: string
  readonly method: string
  readonly path: string
  /** 499 when the client left before its answer. */
  readonly status: number
  readonly ms: number
  /** Null where nobody was recognised. */
  readonly account: string | null
  readonly plan?: string
  /** What the client named, or what serves who names nothing. */
  readonly asked?: string
  readonly model?: string
  readonly route?: string
  readonly tools?: Readonly<Record<string, number>>
  readonly pool?: string
  readonly failures?: readonly { readonly pool: string; readonly cause: string }[]
  readonly code?: string
  readonly type?: string
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cost_nano_usd?: number
  readonly usd?: string
  readonly estimated?: boolean
  readonly interrupted?: string
  /** Of the account, shortly after; null without one, and while the store does not answer. */
  readonly standing: ShownStanding | null
}

/** What an account has used of its limits. Amounts are exact decimals of US dollars; limits are null without a plan. */
export interface ShownStanding {
  readonly event: 'standing'
  readonly at: string
  readonly account: string
  readonly label: string
  readonly plan: string
  readonly used_usd: string
  readonly held_usd: string
  /** What the plan allots, and what was granted. */
  readonly limit_usd: string | null
  /** When the billing window ends. */
  readonly reset: string
  /** In the minute. */
  readonly requests: number
  readonly requests_limit: number | null
  readonly tokens: number
  readonly tokens_limit: number | null
  /** Requests. */
  readonly under_way: number
}

/** Events that are missing at this place, because they came faster than they were read. */
export interface ShownDropped {
  readonly event: 'dropped'
  readonly count: number
}

export function shownRequest(entry: LogEntry, config: Config, standing: ShownStanding | null): ShownRequest {
  const { requestId, at, method, path, status, ms, account } = entry
  return {
    event: 'request',
    request_id: requestId,
    at: iso(at),
    method,
    path,
    status,
    ms,
    account: account ?? null,
    ...courseOf(entry, config),
    ...costOf(entry),
    standing,
  }
}

type Course = 'plan' | 'asked' | 'model' | 'route' | 'tools' | 'pool' | 'failures' | 'code' | 'type' | 'interrupted'

/** Which way a request took. */
function courseOf(entry: LogEntry, { defaultModel }: Config): Pick<ShownRequest, Course> {
  const { plan, asked, model, rule, tools, pool, failures = [], code, type, interrupted } = entry
  return {
    ...(plan !== undefined && { plan }),
    ...(asked !== undefined && { asked: asked || defaultModel.name }),
    ...(model !== undefined && { model }),
    ...(rule !== undefined && { route: rule }),
    ...(tools && { tools }),
    ...(pool !== undefined && { pool }),
    ...(failures.length > 0 && { failures }),
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    ...(interrupted !== undefined && { interrupted }),
  }
}

/** What it came to. */
function costOf({ inputTokens, outputTokens, cost, estimated }: LogEntry): Partial<ShownRequest> {
  return {
    ...(inputTokens !== undefined && { input_tokens: inputTokens }),
    ...(outputTokens !== undefined && { output_tokens: outputTokens }),
    ...(cost !== undefined && { cost_nano_usd: cost, usd: usdText(cost) }),
    ...(estimated !== undefined && { estimated }),
  }
}

export function shownStanding(config: Config, standing: AccountUsage): ShownStanding {
  const { record, used, held, window, requests, tokens, open, at } = standing
  const plan = planOf(config, record)
  const granted = record.terms.grants?.[window.start] ?? 0
  return {
    event: 'standing',
    at: iso(at),
    account: record.account,
    label: record.label,
    plan: planName(config, record),
    used_usd: usdText(used),
    held_usd: usdText(held),
    limit_usd: plan ? usdText(plan.monthlyNanoUsd + granted) : null,
    reset: iso(window.end),
    requests,
    requests_limit: plan?.rpm ?? null,
    tokens,
    tokens_limit: plan?.tpm ?? null,
    under_way: open,
  }
}

const iso = (at: EpochMs): string => new Date(at).toISOString()
