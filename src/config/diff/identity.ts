import type { ClaudeLogin, IdentitySettings, Secret, ServiceIssuer } from '../settings.ts'
import type { Rules, Said, Sides } from './changes.ts'
import { groupsRule } from './groups.ts'
import { lost, membersRule, SECTIONS, secretChange, won } from './setting-rules.ts'
import { isChanged } from './values.ts'

export function identityRules(sides: Sides): Rules<IdentitySettings> {
  const { issuer, planClaim, labelClaim, accountClaim, ...others } = SECTIONS.identity
  return {
    issuer,
    audience: (from, to) =>
      from === to
        ? []
        : [
            {
              field: 'server.public_url',
              from,
              to,
              text: `sign-in tokens must be for ${to}, no longer ${from}`,
              effect: 'lost',
            },
          ],
    tokenTypes: membersRule('identity.token_types', 'is a type of token that is accepted'),
    planClaim,
    labelClaim,
    accountClaim,
    admins: membersRule('identity.admins', 'is an admin'),
    support: membersRule('identity.support', 'is an operator for support'),
    viewers: membersRule('identity.viewers', 'is an operator who reads'),
    agentSecret: (from, to) => agentSecretChanges(from, to, sides),
    claudeLogin: claudeLoginChanges,
    groups: groupsRule,
    scim: (from, to) =>
      secretChange(
        'identity.scim.secret',
        'the secret by which the identity provider deactivates people',
        from?.secret,
        to?.secret,
        sides,
      ),
    issuers: (from, to) => [
      ...from.filter(each => !to.some(other => textOfIssuer(other) === textOfIssuer(each))).map(issuerGone),
      ...to.filter(each => !from.some(other => textOfIssuer(other) === textOfIssuer(each))).map(issuerCame),
    ],
    ...others,
  }
}

/** An issuer with all of its entries: what changed in one is what an entry lets in now, and did not before. */
const textOfIssuer = (each: ServiceIssuer): string =>
  JSON.stringify(each, (_name, value) => (value instanceof Map ? [...value] : value))

const issuerGone = ({ issuer }: ServiceIssuer): Said => ({
  field: 'identity.issuers',
  from: issuer,
  to: null,
  text: `service tokens of ${issuer} are judged by other rules`,
  effect: 'lost',
})

const issuerCame = ({ issuer }: ServiceIssuer): Said => ({
  field: 'identity.issuers',
  from: null,
  to: issuer,
  text: `services have accounts by tokens of ${issuer}, according to its entries`,
  effect: 'more',
})

/** Sign-ins from Claude Code that begin or end, and plans whose settings change. */
function claudeLoginChanges(from: ClaudeLogin | undefined, to: ClaudeLogin | undefined): readonly Said[] {
  const field = 'identity.claude_login'
  if (!to) return from ? [lost(field, 'people can no longer sign in from Claude Code')] : []
  if (!from) return [won(field, 'people can sign in from Claude Code by /login')]
  const plans = [...new Set([...from.settings.keys(), ...to.settings.keys()])]
  const written = ({ settings }: ClaudeLogin, plan: string) => JSON.stringify(settings.get(plan)) ?? null
  const changed = plans.filter(plan => written(from, plan) !== written(to, plan))
  return [
    ...changed.map(plan => ({
      field: `${field}.settings`,
      from: written(from, plan),
      to: written(to, plan),
      text: `Claude Code has ${to.settings.has(plan) ? 'other' : 'no'} managed settings on plan ${plan}`,
      effect: 'other' as const,
    })),
    ...(from.notice === to.notice
      ? []
      : [
          {
            field: `${field}.notice`,
            from: from.notice ?? null,
            to: to.notice ?? null,
            text: 'Claude Code shows another notice at its sign-in',
            effect: 'plumbing' as const,
          },
        ]),
  ]
}

/** Tokens that another secret signed are refused; svcctl gets new ones. */
function agentSecretChanges(from: Secret | undefined, to: Secret | undefined, { isUnknown }: Sides): readonly Said[] {
  if (from && to ? !isChanged(from, to, isUnknown) : from === to) return []
  return [lost('identity.agent_secret', 'agent tokens issued before the change stop working')]
}
