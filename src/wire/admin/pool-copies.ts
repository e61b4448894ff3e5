import type { EpochMs, Mirror, Model } from '../../policy/config.ts'
import { COPY_OUTCOMES, type CopyOutcome, copiedPools } from '../../policy/mirror.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { shareText } from '../../policy/traffic/share.ts'
import { usdText } from '../money.ts'
import { flag, list, moment, optional, orNull, record, type TypeOf, text, word } from '../schema/schema.ts'

const NEWEST = record(
  {
    at: moment(),
    outcome: word(COPY_OUTCOMES, 'How it ended, or why it was left out: as in `svc_mirror_copies_total`.'),
    text: text('The outcome in words.'),
  },
  'NewestCopy',
  'The newest copy that ended or was left out.',
)

/** The copies that a pool gets as the mirror of one model. */
export const COPIES = record(
  {
    model: text('The model whose requests are copied.'),
    sample: text('The share of its conversations that are copied, such as `5%`.'),
    from: list(text(), 'The pools that serve the requests which are copied.'),
    across_sites: flag('Whether requests that a pool of another site serves are copied as well.'),
    day_usd: orNull(
      text(
        'The cost of copies in the last 24 hours that counts against the budget, over all gateways on the store, with the most that running ones may cost; null without a budget, and while the store does not answer.',
      ),
    ),
    max_usd_per_day: orNull(text()),
    newest: optional(NEWEST),
  },
  'Copies',
  'The copies of requests of a model that a pool gets as its mirror.',
)

export interface ShownCopies extends TypeOf<typeof COPIES> {}

/** The mirror of a model, and what a process knows of its copies. */
export interface KnownCopies {
  readonly model: Pick<Model, 'name' | 'serve'>
  readonly mirror: Mirror
  /** Absent where this process has sent none. */
  readonly newest?: { readonly at: EpochMs; readonly outcome: CopyOutcome }
  /** The cost that counts against the budget of a day. */
  readonly spent?: NanoUsd
}

export const shownCopies = ({ model, mirror, newest, spent }: KnownCopies): ShownCopies => ({
  model: model.name,
  sample: shareText(mirror.millionths),
  from: copiedPools(model, mirror).map(({ name }) => name),
  across_sites: mirror.acrossSites,
  day_usd: spent === undefined ? null : usdText(spent),
  max_usd_per_day: mirror.maxNanoUsdPerDay === undefined ? null : usdText(mirror.maxNanoUsdPerDay),
  ...(newest && {
    newest: {
      at: new Date(newest.at).toISOString(),
      outcome: newest.outcome,
      text: OUTCOME_TEXTS[newest.outcome],
    },
  }),
})

const OUTCOME_TEXTS: Readonly<Record<CopyOutcome, string>> = {
  well: 'was answered',
  failed: 'failed',
  left: 'was called off',
  same_pool: 'was left out: the pool served the request itself',
  site: 'was left out: a pool of another site served the request',
  down: 'was left out: no replica took requests',
  busy: 'was left out: requests waited there',
  full: 'was left out: no slot was free',
  copies: 'was left out: as many copies ran as are allowed at once',
  memory: 'was left out: bodies of clients needed the memory',
  budget: 'was left out: the budget had no room',
}

/** Joins what processes or gateways know of the copies at a pool: they share the budget, and the newest copy is that of all. */
export function addedCopies(pools: readonly { readonly copies?: readonly ShownCopies[] | undefined }[]): {
  readonly copies?: readonly ShownCopies[]
} {
  const all = pools.flatMap(({ copies = [] }) => copies)
  const models = [...new Set(all.map(({ model }) => model))]
  const copies = models.flatMap(name => {
    const same = all.filter(({ model }) => model === name)
    const [first] = same
    if (!first) return []
    const [newest] = same.flatMap(each => each.newest ?? []).sort((a, b) => (a.at < b.at ? 1 : -1))
    const [spent = null] = same.flatMap(({ day_usd }) => day_usd ?? [])
    return [{ ...first, day_usd: spent, ...(newest && { newest }) }]
  })
  return copies.length > 0 ? { copies } : {}
}
