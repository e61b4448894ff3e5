import { fixedFields } from '../check/fixed.ts'
import type {
  GuestSettings,
  IdentitySettings,
  Loaded,
  ResponseSettings,
  Secret,
  SellerSettings,
  Settings,
  TraceSettings,
} from '../settings.ts'
import {
  type Change,
  compare,
  highIsMore,
  parts,
  placeIn,
  plumbing,
  type Rule,
  type Rules,
  type Said,
  type Sides,
  same,
} from './changes.ts'
import { identityRules } from './identity.ts'
import { customersRule, targetsRule } from './notices.ts'
import { serverRules } from './server.ts'
import { lost, optional, pathChange, plain, SECTIONS, setting, won } from './setting-rules.ts'
import { archiveRule, storeRule } from './store.ts'
import { metricsRules, traceRules } from './telemetry.ts'
import { count, isChanged, text } from './values.ts'

/** The changes of the process's settings, beside the policy; pools and tools are compared with their own. */
export function compareSettings(sides: Sides): readonly Change[] {
  const { before, after } = sides
  const both = [before.loaded.settings, after.loaded.settings] as const
  return compare(settingsRules(sides), '', both, field => placeIn(after.loaded, writtenAs(field, after.loaded))).map(
    change => {
      const { field, text: said } = change
      const [subject = ''] = field.split('.')
      return { ...change, subject, text: fixedFields.includes(field) ? `${said} (needs a restart)` : said }
    },
  )
}

/** The field from which another is made where it is not written. */
const MADE_OF: Readonly<Record<string, string>> = {
  'redis.password': 'store',
  'errors.docs': 'server.public_url',
  'errors.topup': 'server.console_url',
  'server.console_url': 'server.public_url',
  'guests.mint_per_net_hour': 'guests.mint_per_ip_hour',
}

function writtenAs(field: string, loaded: Loaded): string {
  const source = MADE_OF[field]
  return source === undefined || loaded.fields.has(field) ? field : writtenAs(source, loaded)
}

const settingsRules = (sides: Sides): Rules<Settings> => ({
  brand: setting('brand', text, () => 'lost'),
  server: parts(serverRules(sides)),
  store: storeRule(sides),
  ledger: parts<Settings['ledger']>({ ...SECTIONS.ledger, archive: archiveRule(sides) }),
  decisions: parts(decisionRules(sides)),
  log: parts(SECTIONS.log),
  metrics: parts(metricsRules(sides)),
  traces: optional<TraceSettings>(traceRules(sides), {
    gone: { ...plain('traces', 'requests are no longer traced'), from: 'traces' },
    added: { ...plain('traces', 'requests are now traced'), to: 'traces' },
  }),
  identity: optional<IdentitySettings>(identityRules(sides), {
    gone: lost('identity', 'people can no longer sign in: identity is gone'),
    added: won('identity', 'people can sign in to mint keys of their own'),
  }),
  // The change of their plan reports that guests come or go.
  guests: optional<GuestSettings>(guestRules(sides), {}),
  responses: optional<ResponseSettings>(responseRules(sides), {
    gone: lost('responses', 'responses are no longer kept, and previous_response_id is refused'),
    added: won('responses', 'responses are kept: what clients send to and receive from /v1/responses, encrypted'),
  }),
  limits: parts(SECTIONS.limits),
  listener: parts(SECTIONS.listener),
  errors: parts<Settings['errors']>({
    ...SECTIONS.errors,
    docs: setting('errors.docs', text, plumbing),
    topup: setting<string | undefined>('errors.topup', text, plumbing),
  }),
  billing: parts<Settings['billing']>({ seller: sellerRule, ...SECTIONS.billing }),
  noticeTargets: targetsRule(sides),
  customerNotices: customersRule,
  backends: same(),
  tools: same(),
})

const sellerRule: Rule<SellerSettings | undefined> = (from, to, subject) =>
  parts<{ readonly [Field in keyof SellerSettings]-?: string | undefined }>({
    name: setting<string | undefined>('billing.seller.name', text, plumbing),
    address: setting<string | undefined>('billing.seller.address', text, plumbing),
    taxId: setting<string | undefined>('billing.seller.tax_id', text, plumbing),
    contact: setting<string | undefined>('billing.seller.contact', text, plumbing),
  })(writtenSeller(from), writtenSeller(to), subject)

const writtenSeller = ({ name, address, taxId, contact }: Partial<SellerSettings> = {}) => ({
  ...{ name, address, taxId, contact },
})

function decisionRules(sides: Sides): Rules<Settings['decisions']> {
  const { log, ...others } = SECTIONS.decisions
  // Where it is not written it follows state_dir, whose change has a line of its own.
  const directory: Rule<string> = (from, to) =>
    [sides.before, sides.after].some(({ loaded }) => loaded.fields.has('decisions.path'))
      ? pathChange('decisions.path', from, to, sides)
      : []
  return { log, directory, ...others }
}

function guestRules(sides: Sides): Rules<GuestSettings> {
  const { mintPerIpHour, ...others } = SECTIONS.guests
  return {
    mintPerIpHour,
    mintPerNetHour: setting('guests.mint_per_net_hour', count, highIsMore),
    ...others,
    secrets: (from, to) => guestSecretChanges(from, to, sides),
  }
}

/** Roots that are gone take the keys derived from them along. */
function guestSecretChanges(from: readonly Secret[], to: readonly Secret[], { isUnknown }: Sides): readonly Said[] {
  const field = 'guests.secret'
  const has = (among: readonly Secret[], secret: Secret) => among.some(each => !isChanged(each, secret, isUnknown))
  const gone = from.some(secret => !has(to, secret)) || (from.length === 0 && to.length > 0)
  const added = to.some(secret => !has(from, secret)) || (to.length === 0 && from.length > 0)
  if (gone)
    return [
      {
        field,
        from: null,
        to: null,
        text: 'devices with keys from the removed secret can no longer ask for them again',
        effect: 'lost',
      },
    ]
  return added ? [{ field, from: null, to: null, text: 'new guest keys use another secret', effect: 'plumbing' }] : []
}

function responseRules(sides: Sides): Rules<ResponseSettings> {
  const { keep, ...others } = SECTIONS.responses
  return { keep, keys: (from, to) => responseKeyChanges(from, to, sides), ...others }
}

/** The changes of the keys of responses. A response encrypted with a key that is gone cannot be read any more. */
function responseKeyChanges(from: readonly Secret[], to: readonly Secret[], { isUnknown }: Sides): readonly Said[] {
  const has = (among: readonly Secret[], secret: Secret) => among.some(each => !isChanged(each, secret, isUnknown))
  if (from.some(secret => !has(to, secret)))
    return [lost('responses.key', 'responses encrypted with the removed key can no longer be read')]
  return to.some(secret => !has(from, secret))
    ? [plain('responses.key', 'new responses are encrypted with another key')]
    : []
}
