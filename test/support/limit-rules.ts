import type { Config } from '../../src/policy/config.ts'
import type { Mutable } from '../../src/policy/decision.ts'
import type { LimitRule } from '../../src/policy/limits/rule.ts'
import type { TestGateway } from './gateway.ts'

/** Gives a plan of a running gateway these rules, until it reads its files again. */
export function limitPlan({ gateway }: TestGateway, name: string, rules: readonly LimitRule[]): void {
  const { app } = gateway
  const { plans, defaultPlan, guestPlan } = app.config
  const found = plans.get(name)
  if (!found) throw new Error(`there is no plan ${name}`)
  const plan = { ...found, rules: rules.map(rule => ({ rule })) }
  const config: Mutable<Config> = { ...app.config, plans: new Map(plans).set(name, plan) }
  if (defaultPlan === found) config.defaultPlan = plan
  if (guestPlan === found) config.guestPlan = plan
  Object.assign(app, { config })
}

/** One dollar in a rule of `usd`. */
export const DOLLAR = 1e9

/** The rules in the quota record of a key on the plan `pro`. */
export async function limitsOf({ url }: TestGateway, key: string): Promise<readonly object[]> {
  const response = await fetch(`${url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  const { limits } = (await response.json()) as { limits: readonly object[] }
  return limits.slice(SHORT_FORMS)
}

/** The named limits of the plan `pro`: rpm and tpm. Its overage is unlimited. */
const SHORT_FORMS = 2
