import type { Command } from 'commander'
import type { LimitRule } from '../../policy/limits/rule.ts'
import { limitText } from '../../wire/admin/limit.ts'
import { type Changing, changing, withOperator } from '../kit/options.ts'
import { NAMED_OR_ORG, tell, wrong } from './tell.ts'

/** Registers `accounts set-limit|unset-limit`. */
export function registerLimits(accounts: Command): void {
  changing(accounts.command('set-limit'))
    .description(
      "set a limit of an account, in place of its own or its plan's limit of the same kind; a limit of an org counts all of its accounts together",
    )
    .argument('<account>', NAMED_OR_ORG)
    .argument('<limit>', "such as 'usd 500 per month', 'tokens 2M per 30d of key for svc-core', or 'concurrent 3'")
    .action(async (named: string, text: string, options: Changing) => {
      const limit = await limitIn(text)
      return withOperator(options, async operator => {
        const account = await operator.setLimit(named, limit)
        await tell(account, `limit of ${account.label}: ${limitText(limit)}`, options)
      })
    })

  changing(accounts.command('unset-limit'))
    .description("remove a limit that `set-limit` has set, so that the plan's applies")
    .argument('<account>', NAMED_OR_ORG)
    .argument('<limit>', "what it counts, such as 'usd per month'; a number in it is ignored")
    .action(async (named: string, text: string, options: Changing) => {
      const { most: _most, ...counted } = await limitIn(withNumber(text))
      return withOperator(options, async operator => {
        const account = await operator.unsetLimit(named, counted)
        await tell(account, `${account.label} has no limit of its own of ${text}`, options)
      })
    })
}

/** A limit as a command takes it. */
export async function limitIn(text: string): Promise<LimitRule> {
  // Only now: what reads numbers with their units belongs to the configuration, which other commands do not load.
  const { parseLimitRule } = await import('../../config/model/limit-text.ts')
  const limit = parseLimitRule(text)
  if (!('problem' in limit)) return limit
  const ordered = inOrder(text)
  const again = parseLimitRule(ordered)
  if (!('problem' in again)) return again
  const example =
    ordered === text
      ? "For example 'usd 500 per month', 'requests 60 per minute' or 'concurrent 3'."
      : `Write '${ordered}', as in 'usd 500 per month'.`
  throw wrong(`${JSON.stringify(text)} is not a limit: ${limit.problem}\n  ${example}`)
}

/** `500 usd a month` and `$500/month` as `usd 500 per month`: people say the number first. */
export function inOrder(text: string): string {
  const words = text
    .trim()
    .replace(/\//g, ' per ')
    .replace(/^(\S+ )?\$\s*(?=\d)/, '$1usd ')
    .replace(/ (a|an|each|every) /g, ' per ')
    .split(/\s+/)
  const [first = '', second = '', ...rest] = words
  if (first === 'usd' && second === 'usd') return [second, ...rest].join(' ')
  return (/^\d/.test(first) && /^[a-z]/i.test(second) ? [second, first, ...rest] : words).join(' ')
}

/** `usd per month` as `usd 1 per month`. */
function withNumber(text: string): string {
  const [measure = '', second, ...rest] = text.trim().split(/\s+/)
  const isNumber = second !== undefined && /^\d/.test(second)
  return [measure, ...(isNumber ? [second] : ['1', ...(second === undefined ? [] : [second])]), ...rest].join(' ')
}
