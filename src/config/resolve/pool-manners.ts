import type { CapField, Pool } from '../../policy/config.ts'
import {
  type Facts,
  factsFor,
  type PoolFacts,
  type PoolProvider,
  type ProviderName,
  UNKNOWN,
} from '../../policy/providers/profile.ts'
import { ANYWHERE, PROFILES } from '../../policy/providers/profiles.ts'
import type { PoolSection } from '../file.ts'
import { impliedBy, whereaboutsOf } from './hosts.ts'

/** The settings of a pool about its backends and the requests that they take. */
type Manners = Pick<PoolSection, 'balance' | 'cap' | 'fetch' | 'model' | 'provider' | 'replicas' | 'unknown_fields'>

const BOTH: readonly CapField[] = ['max_tokens', 'max_completion_tokens']

/**
 * How the backends of a pool are spoken to: as the pool says, else as the profile of its provider does, else by where they
 * are. A backend of one's own may ignore either name of the cap, and gets both; services refuse what they do not know, and
 * may refuse streams, unless one is known to count too little without them.
 */
export function mannersOf(section: Manners): Pick<Pool, 'balance' | 'caps' | 'fetch' | 'provider' | 'unknownFields'> {
  const { facts, isService, isOwn, provider } = standingOf(section)
  const cap = section.cap ?? facts.cap ?? (isOwn ? 'both' : 'max_tokens')
  return {
    caps: cap === 'both' ? BOTH : [cap],
    fetch: section.fetch ?? facts.fetch ?? (isOwn || facts.choicesUsage === 'one' ? 'long' : 'whole'),
    balance: section.balance ?? (section.replicas.length > 1 ? 'prefix' : 'busy'),
    unknownFields: section.unknown_fields ?? facts.unknownFields ?? (isService ? 'drop' : 'refuse'),
    provider,
  }
}

/** Whether the backends of a pool keep cached prompts apart by a salt. */
export const takesSalt = (section: Manners): boolean => standingOf(section).provider.facts.cacheSalt

/** How long the backends of a pool may think before their first content, where their provider's profile says it. */
export function patienceOf(section: Partial<Manners>): Pick<Partial<Facts>, 'firstContentTimeout'> {
  const { model = '', replicas = [] } = section
  const { firstContentTimeout } = standingOf({ ...section, model, replicas }).facts
  return firstContentTimeout === undefined ? {} : { firstContentTimeout }
}

interface Standing {
  readonly facts: Partial<Facts>
  readonly isService: boolean
  readonly isOwn: boolean
  readonly provider: PoolProvider
}

function standingOf({ model, provider: section, replicas }: Manners): Standing {
  const { is: written, ...own } = typeof section === 'object' ? section : named(section)
  const name = written ?? impliedBy(replicas)
  const row = name && factsFor(PROFILES[name], model)
  const facts = { ...factsFor(ANYWHERE, model), ...row, ...writtenFacts(own, row) }
  const where = whereaboutsOf(replicas)
  const kind = written && PROFILES[written].kind
  return {
    facts,
    isService: kind ? kind === 'service' : where === 'service',
    isOwn: kind ? kind === 'engine' : where === 'own',
    provider: providerOf(name, written === undefined, facts),
  }
}

/** The schema allows no other text. */
const named = (name: string | undefined): WrittenFacts => (name === undefined ? {} : { is: name as ProviderName })

const providerOf = (name: ProviderName | undefined, isImplied: boolean, facts: Partial<Facts>): PoolProvider => ({
  ...(name && { name }),
  ...(name && isImplied && { isImplied }),
  facts: Object.fromEntries(
    Object.entries(UNKNOWN).map(([fact, unknown]) => [fact, facts[fact as keyof PoolFacts] ?? unknown]),
  ) as unknown as PoolFacts,
})

type WrittenFacts = Exclude<PoolSection['provider'], string | undefined>

/** The facts that a pool writes in place of its row's; fields that it drops are beside those of the row. */
function writtenFacts(written: Omit<WrittenFacts, 'is'>, row: Partial<Facts> = {}): Partial<Facts> {
  const { call_ids, cap, drops, developer_role, finish_reason, stream_options } = written
  const { cache_marks, cache_salt, choices_usage, priority, thoughts } = written
  return {
    ...(call_ids && { callIds: call_ids }),
    ...(cap && { cap }),
    ...(drops && { drops: [...new Set([...(row.drops ?? []), ...drops])] }),
    ...(developer_role !== undefined && { developerRole: developer_role }),
    ...(finish_reason && { finishReason: finish_reason }),
    ...(stream_options !== undefined && { streamOptions: stream_options }),
    ...(cache_marks !== undefined && { cacheMarks: cache_marks }),
    ...(cache_salt !== undefined && { cacheSalt: cache_salt }),
    ...(priority && { priority }),
    ...(choices_usage && { choicesUsage: choices_usage }),
    ...(thoughts && { thoughts }),
  }
}
