import { countedBy, scopeOf } from '../../policy/limits/rule.ts'
import { ruleText } from '../../policy/limits/text.ts'
import type { ConfigFile, IdentitySection, LimitRuleSection } from '../file.ts'
import type { MapNode, Path } from '../model/tree.ts'
import type { Report, Say } from '../problem.ts'
import { rowsOf } from '../resolve/limits.ts'
import { lintRow } from './limits.ts'
import { sayer } from './lint.ts'

/** Reports limits of services that mean none, the same as another one, or are shared with others. */
export function lintServices(root: MapNode, { identity }: ConfigFile, report: Report): void {
  const say = sayer(root, report)
  const section = root.entries.get('identity')
  if (section && identity && !identity.issuer && !identity.issuers) report({ ...section.key, ...NO_ISSUER })
  else if (identity && identity.issuer === undefined) lintPeople(identity, say)
  for (const [index, { accounts }] of (identity?.issuers ?? []).entries())
    for (const [entry, { name, limits = [] }] of accounts.entries())
      lintEntryLimits(`the entry \`${name}\``, limits, ['identity', 'issuers', index, 'accounts', entry, 'limits'], say)
}

/** Warns of settings about people where no issuer signs people in. */
function lintPeople(identity: IdentitySection, say: Say): void {
  for (const field of OF_PEOPLE)
    if (identity[field] !== undefined)
      say(
        ['identity', field],
        'error',
        'people-without-issuer',
        `\`${field}\` is about people, but \`identity\` has no issuer for them`,
        'add `issuer`, or remove it',
      )
}

const OF_PEOPLE = [
  'plan_claim',
  'label_claim',
  'token_types',
  'admins',
  'support',
  'viewers',
  'groups',
  'account_claim',
  'scim',
  'client_id',
  'console_client_id',
  'claude_login',
] as const

const NO_ISSUER = {
  rule: 'missing-field',
  severity: 'error',
  message: '`identity` has neither `issuer` nor `issuers`',
  hint: 'add `issuer`, where people sign in, or `issuers` of services',
} as const

/** Reports limits of the accounts of an entry that mean none, the same as another one, or are shared with others. */
export function lintEntryLimits(entry: string, limits: readonly LimitRuleSection[], at: Path, say: Say): void {
  for (const [place, row] of limits.entries()) lintRow(row, [...at, place], say)
  const seen = new Set<string>()
  for (const { rule, place } of rowsOf({ limits: [...limits] })) {
    const message = `${entry} limits ${ruleText(rule)}`
    if (!scopeOf(rule).setFor.includes('service'))
      say([...at, place, 'of'], 'error', 'limit-not-of-account', message, NOT_OF_ACCOUNT)
    if (seen.has(countedBy(rule)))
      say([...at, place], 'error', 'limit-twice', `${message} twice`, 'keep one of the two')
    seen.add(countedBy(rule))
  }
}

const NOT_OF_ACCOUNT = 'write `of: account` or `of: user`: shared limits belong to the plan, and services have no keys'
