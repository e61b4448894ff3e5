import type { NoticeRule, NoticeScope } from '../../policy/limits/notice-rule.ts'
import { DEFAULTS } from '../defaults.ts'
import type { ConfigFile, CustomerNoticesSection, NoticeTargetSection } from '../file.ts'
import { smtp } from '../model/smtp-address.ts'
import { entriesOf, type MapNode, nodeAt } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import type { Report } from '../problem.ts'
import { LINE, readSecrets, refuse, type SecretPlace, TOKEN } from '../read/secrets.ts'
import type { CustomerNoticesSettings, NoticeTargetSettings, Secret } from '../settings.ts'

/** The notices of a checked main file. */
export const noticesOf = ({ notices = [], customer_notices: own }: ConfigFile): readonly NoticeRule[] => [
  ...notices.map(({ at = [], of = [], on, to }) => Object.freeze({ at: percentsOf(at), of, ...(on && { on }), to })),
  // Percentages that customers choose from are compared for all of them: each chooses whether to hear of it.
  ...(own ? [Object.freeze({ at: percentsOf(own.at), of: OWN_SCOPES, to: [] })] : []),
]

const percentsOf = (at: readonly string[]): readonly number[] => at.map(Number.parseFloat).sort((a, b) => a - b)

/** Limits of one account: others are of several customers. */
const OWN_SCOPES: readonly NoticeScope[] = ['account', 'key', 'user']

/** The offer of the files to customers. */
export const customerNoticesOf = ({
  at,
  mail,
  webhooks = DEFAULTS.customerWebhooks,
}: CustomerNoticesSection): CustomerNoticesSettings => ({
  ...{ at: percentsOf(at), webhooks },
  ...(mail !== undefined && { mail }),
})

/** The secrets of targets, by target and field. */
export type TargetSecrets = ReadonlyMap<string, ReadonlyMap<string, Secret>>

/** Fetches what targets refer to. No Problem shows what was fetched. */
export function readTargetSecrets(root: MapNode, place: SecretPlace, report: Report): TargetSecrets {
  const found = new Map<string, ReadonlyMap<string, Secret>>()
  for (const [name, { value: target }] of entriesOf(nodeAt(root, ['notice_targets']))) {
    const secrets = readSecrets(target, HOLDS, place, report)
    const [signing, url] = [secrets.get('secret'), secrets.get('slack')]
    if (signing && !isSigning(signing.reveal())) refuse(nodeAt(target, ['secret']) ?? target, NO_SECRET, report)
    if (url && !/^https?:\/\/[^\s/]+/.test(url.reveal())) refuse(nodeAt(target, ['slack']) ?? target, NO_URL, report)
    if (secrets.size > 0) found.set(name, secrets)
  }
  return found
}

const HOLDS = { secret: TOKEN, slack: TOKEN, password: LINE }

/** A secret as Standard Webhooks writes it. */
function isSigning(text: string): boolean {
  const bytes = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1]
  const { length } = Buffer.from(bytes ?? '', 'base64')
  return length >= 24 && length <= 64
}

const NO_SECRET = {
  rule: 'bad-secret',
  says: 'the secret of a webhook is not `whsec_` and 24 to 64 bytes in base64',
  hint: 'make one: echo "whsec_$(openssl rand -base64 32)"',
}

const NO_URL = {
  rule: 'bad-secret',
  says: 'the secret of `slack` is not a URL',
  hint: 'store the URL of the incoming webhook alone',
}

/** The targets of a checked main file, by name. */
export function targetsOf(
  { notice_targets: targets = {} }: ConfigFile,
  secrets: TargetSecrets,
): ReadonlyMap<string, NoticeTargetSettings> {
  return new Map(Object.entries(targets).map(([name, target]) => [name, targetOf(name, target, secrets.get(name))]))
}

function targetOf(
  name: string,
  { webhook, smtp: server, from, to, digest = DEFAULTS.noticeDigest }: NoticeTargetSection,
  secrets: ReadonlyMap<string, Secret> = new Map(),
): NoticeTargetSettings {
  const [secret, slack, password] = ['secret', 'slack', 'password'].map(field => secrets.get(field))
  if (webhook !== undefined && secret) return { kind: 'webhook', url: webhook, secret }
  const gathered = unitOf('duration', digest)
  if (slack) return { kind: 'slack', url: slack, digest: gathered }
  const address = server === undefined ? undefined : smtp.read(server)
  if (!address || from === undefined || !to) throw new Error(`target \`${name}\` was not checked`)
  return { kind: 'mail', ...address, ...(password && { password }), from, to, digest: gathered }
}
