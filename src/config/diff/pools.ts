import { type Pool, placeOf } from '../../policy/config.ts'
import { counted } from '../../policy/counted.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { type PoolFacts, type PoolProvider, UNKNOWN, writtenName } from '../../policy/providers/profile.ts'
import { shareText } from '../../policy/traffic/share.ts'
import { withoutUser } from '../model/formats.ts'
import { durationText } from '../model/units.ts'
import {
  idleSettings,
  isSetting,
  POOL_SETTINGS,
  type PoolSetting,
  type PoolSettingGroup,
  type PoolSettings,
  unitAt,
} from '../pool-settings.ts'
import { POOL_WORDS } from '../pool-words.ts'
import { queueFields } from '../queue-fields.ts'
import { type Auth, type BackendSettings, Secret } from '../settings.ts'
import {
  type Change,
  compare,
  compareNamed,
  highIsMore,
  type Own,
  parts,
  plumbing,
  type Rule,
  type Rules,
  type Said,
  type Side,
  type Sides,
  value,
} from './changes.ts'
import { isChanged, keyRule, listed, price, size, TEXTS, text, usd, without } from './values.ts'

/** The changes of pools, with the defaults of `failover` as they take effect on each. */
export function comparePools(sides: Sides): readonly Change[] {
  const { before, after } = sides
  const subject = (name: string) => `pool ${name}`
  const [poolRules, backendRules] = [poolRulesOf(sides), backendRulesOf(sides)]
  return compareNamed(before.loaded.config.pools, after.loaded.config.pools, after.loaded, {
    subject,
    gone: ({ name }) => said(name, null, `pool ${name} is gone`),
    added: ({ name, model }) => said(null, name, `pool ${name} is new, for ${model}`),
    stayed: (pool, next) => {
      const both = withoutIdle(backendOf(pool, before), backendOf(next, after))
      return [
        ...compare<Own<Pool>>(poolRules, subject(next.name), [pool, beside(pool, next, sides)], field =>
          placeOf(next, sectionOf(field)),
        ),
        ...compare(backendRules, subject(next.name), both, field => placeOfBackend(next, field, after)),
      ]
    },
  })
}

const said = (from: string | null, to: string | null, sentence: string): Said => ({
  ...{ field: 'pools', from, to, text: sentence },
  effect: 'plumbing',
})

function backendOf({ name }: Pool, { loaded }: Side): BackendSettings {
  const backend = loaded.settings.backends.get(name)
  if (!backend) throw new Error(`pool ${name} has no settings`)
  return backend
}

/** Leaves out changes of settings that mean nothing beside the others, such as a time in a queue where none can form. */
const withoutIdle = (before: BackendSettings, after: BackendSettings): readonly [BackendSettings, BackendSettings] => {
  const idle = idleSettings(after).map(name => [name, before[name]])
  return [before, { ...after, ...Object.fromEntries(idle) }]
}

/** Defaults that depend on where the replicas are are unknown while an address is: they count as unchanged. */
function beside(before: Pool, after: Pool, { isUnknown }: Sides): Pool {
  const isWritten = (field: string) => [before, after].some(({ fields }) => fields[field] !== undefined)
  // One replica leaves nothing to choose.
  const isAlone = !isWritten('balance') && (before.replicas.length < 2 || after.replicas.length < 2)
  const spread = isAlone ? { ...after, balance: before.balance } : after
  if (![...before.replicas, ...after.replicas].some(isUnknown)) return spread
  return {
    ...spread,
    ...(!isWritten('unknown_fields') && { unknownFields: before.unknownFields }),
    ...(!isWritten('cap') && { caps: before.caps }),
    ...(!isWritten('fetch') && { fetch: before.fetch }),
    ...(!isWritten('provider') && { provider: before.provider }),
  }
}

/** The field of a pool that has another one within it, such as `eject.after`. */
const sectionOf = (field: string): string => field.split('.')[0] ?? field

/** Where a pool writes a field, such as `eject.after`; else where `failover` does. */
function placeOfBackend(pool: Pool, field: string, { loaded }: Side) {
  const section = sectionOf(field)
  return pool.fields[section] ?? loaded.fields.get(`failover.${section}`) ?? pool.at
}

/** In the order of the sentences about a pool. A word without a place of its own comes last. */
function poolRulesOf(sides: Sides): Rules<Own<Pool>> {
  const {
    site,
    model,
    speaks,
    providerTools,
    unknownFields,
    passes,
    fetches,
    caps,
    fetch,
    balance,
    caches,
    slotsOver,
    ...others
  } = WORDS
  return {
    ...{
      site,
      replicas: replicasRule(sides),
      model,
      speaks,
      providerTools,
      unknownFields,
      passes,
      fetches,
      caps,
      fetch,
      balance,
      caches,
      slotsOver,
    },
    ...others,
    shares: value<Pool['shares']>('shares', sharesText, plumbing, 'none'),
    provider: providerRule,
  }
}

const wordRule = ({ field, is }: (typeof POOL_WORDS)[keyof typeof POOL_WORDS]): Rule<never> =>
  is === 'words' ? wordsRule(field) : value<string | boolean>(field, String, plumbing)

/** Rules of all words, as their rows say. */
const WORDS = Object.fromEntries(
  Object.entries(POOL_WORDS).map(([member, row]) => [member, wordRule(row)]),
) as unknown as Rules<Omit<Own<Pool>, 'replicas' | 'provider' | 'shares'>>

const factRules = Object.keys(UNKNOWN).map(fact => {
  const shown = ({ facts }: PoolProvider) => {
    const each = facts[fact as keyof PoolFacts]
    return Array.isArray(each) ? shownWords(each) : String(each)
  }
  const rule = value<string | undefined>(`provider.${writtenName(fact)}`, text, plumbing)
  return (...[from, to, subject]: Parameters<Rule<PoolProvider>>) => rule(shown(from), shown(to), subject)
})

/** Who runs the replicas, and each fact that is another by it. */
function providerRule(...sides: Parameters<Rule<PoolProvider>>): ReturnType<Rule<PoolProvider>> {
  const [from, to, subject] = sides
  const name = value<string | undefined>('provider', text, plumbing, 'none')(nameOf(from), nameOf(to), subject)
  return [...name, ...factRules.flatMap(rule => rule(...sides))]
}

const nameOf = ({ name, isImplied }: PoolProvider): string | undefined =>
  name && (isImplied ? `${name}, by its address` : name)

/** Words in the order in which they are written. */
function wordsRule(field: string): Rule<readonly string[] | undefined> {
  const rule = value<string | undefined>(field, text, plumbing)
  return (from, to, subject) => rule(shownWords(from), shownWords(to), subject)
}

const shownWords = (words: readonly string[] = []): string | undefined => (words.length > 0 ? listed(words) : undefined)

/** Replicas are interchangeable: their order means nothing. One that is not known may be any of the others. */
const replicasRule =
  ({ isUnknown }: Sides): Rule<readonly string[]> =>
  (from, to, subject) => {
    if ([...from, ...to].some(isUnknown)) return []
    const told = (was: string | null, is: string | null, sentence: string): Said => ({
      ...{ field: 'replicas', from: was, to: is, text: `${subject} ${sentence}` },
      effect: 'plumbing',
    })
    return [
      ...without(from, to).map(url => told(withoutUser(url), null, `loses replica ${withoutUser(url)}`)),
      ...without(to, from).map(url => told(null, withoutUser(url), `gains replica ${withoutUser(url)}`)),
    ]
  }

/** In the order of the sentences about a pool. A number without a place of its own comes last. */
function backendRulesOf(sides: Sides): Rules<BackendSettings> {
  const { context, maxConcurrent, maxConcurrentEach, queueTimeout, ...numbers } = SETTINGS
  const { maxNanoUsdPerHour, eject, waitForRetryAfter, ...others } = numbers
  return {
    key: keyRule(sides),
    auth: value<Auth | undefined>('auth', authText, plumbing, 'bearer'),
    headers: headersRule(sides),
    query: value<string | undefined>('query', text, plumbing, 'none'),
    betas: wordsRule('betas'),
    ...{ context, maxConcurrent, maxConcurrentEach, queueTimeout },
    cost: costRule,
    ...{ maxNanoUsdPerHour, eject, waitForRetryAfter },
    probe: value('probe', ({ path, every }) => `${path} every ${durationText(every)}`, plumbing, 'off'),
    load: value(
      'load',
      ({ from, url, every }) => `from ${from} at ${url} every ${durationText(every)}`,
      plumbing,
      'off',
    ),
    queue: value('queue', queue => queueText(queue), plumbing, 'off'),
    ...others,
  }
}

const FEELS = { nothing: plumbing, 'high is more': highIsMore } as const satisfies Record<
  PoolSetting['change'],
  unknown
>

const ruleOf = (row: PoolSetting | PoolSettingGroup): Rule<never> =>
  isSetting(row)
    ? value<number | undefined>(row.path, TEXTS[unitAt(row.path)], FEELS[row.change], row.absent)
    : parts(Object.fromEntries(Object.entries(row).map(([part, each]) => [part, ruleOf(each)])))

/** Rules of all numbers, as their rows say. */
const SETTINGS = Object.fromEntries(
  Object.entries(POOL_SETTINGS).map(([name, row]) => [name, ruleOf(row)]),
) as unknown as Rules<PoolSettings>

const sharesText = (shares: NonNullable<Pool['shares']>): string =>
  shares
    .map(({ owner, millionths, slots }) => `${owner} ${shareText(millionths)} (${counted(slots, 'slot')})`)
    .join(', ')

const queueText = (queue: NonNullable<BackendSettings['queue']>): string =>
  Object.entries(queueFields(queue, size))
    .map(([field, written]) => `${field} ${String(written)}`)
    .join(', ')

const authText = ({ header, prefix }: Auth): string => (prefix === '' ? header : `${header}: ${prefix}`)

type Headers = BackendSettings['headers']

/** Headers by name; of those that are secrets no value is shown. */
const headersRule =
  ({ isUnknown }: Sides): Rule<Headers> =>
  (from: Headers = new Map(), to: Headers = new Map(), subject) =>
    [...new Set([...from.keys(), ...to.keys()])]
      .filter(name => isOther(from.get(name), to.get(name), isUnknown))
      .map(name => headerChange(name, from.get(name), to.get(name), subject))

type Header = string | Secret | undefined

const isOther = (from: Header, to: Header, isUnknown: Sides['isUnknown']): boolean =>
  from instanceof Secret && to instanceof Secret ? isChanged(from, to, isUnknown) : from !== to

function headerChange(name: string, from: Header, to: Header, subject: string): Said {
  const [was, is] = [from, to].map(value => (typeof value === 'string' ? value : null))
  const said = { field: 'headers', from: was ?? null, to: is ?? null, effect: 'plumbing' } as const
  if (from === undefined) return { ...said, text: `${subject} is now sent ${name}${is === null ? '' : `: ${is}`}` }
  if (to === undefined) return { ...said, text: `${subject} is no longer sent ${name}` }
  if (was === null || is === null) return { ...said, text: `the ${name} of ${subject} changed` }
  return { ...said, text: `${subject}: ${name} ${was} → ${is}` }
}

type Cost = BackendSettings['cost']

function costRule(from: Cost, to: Cost, subject: string): ReturnType<Rule<Cost>> {
  const shown = (field: 'input' | 'output' | 'cachedInput' | 'cacheWrite' | 'cacheWrite1h', name: string) =>
    value<NanoUsd | undefined>(`cost_usd_per_1m.${name}`, price, plumbing)(from?.[field], to?.[field], subject)
  const written = [...shown('cacheWrite', 'cache_write'), ...shown('cacheWrite1h', 'cache_write.1h')]
  const cached = [...shown('cachedInput', 'cached_input'), ...written]
  const image = value<NanoUsd | undefined>('cost_usd_per_image', usd, plumbing)(from?.item, to?.item, subject)
  return [...shown('input', 'input'), ...cached, ...shown('output', 'output'), ...image]
}
