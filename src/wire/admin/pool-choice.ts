import type { PoolChoice, WeighedReplica } from '../../policy/balance/pool-choice.ts'
import { flag, list, orNull, record, type TypeOf, text, whole, word } from '../schema/schema.ts'

const FIGURES = record(
  {
    replica: whole('Counts from 1.'),
    url: text(),
    fitness: word(
      ['usable', 'behind', 'paused', 'ejected', 'drained'],
      '`behind`: passed over by `spill`, while another replica is not. Only usable ones are chosen.',
    ),
    full: flag('Whether all of its slots (`max_concurrent_each`) are taken.'),
    miss_tokens: whole('Prompt tokens that its cache is not expected to have.'),
    owed_tokens: whole('Prompt tokens of other requests that it still has to compute.'),
    held_tokens: whole('Prompt tokens of the requests that run there.'),
    running: whole('Requests that run or wait there.'),
    cost: whole('In tokens: `miss × (1 + running) + owed + held / 20 + 128 × running`.'),
    near: flag('Whether it may be chosen, and its cost is within 256 tokens of the least one.'),
    load_age_ms: orNull(whole('How long ago its engine reported its load; null where it did not.')),
  },
  'WeighedReplica',
  'The cost of a request at a replica, with the figures that it is made of.',
)

export const POOL_CHOICE = record(
  {
    pool: text(),
    balance: word(['prefix', 'session', 'busy'], 'The rule for this request: `busy` if it has no prompt.'),
    prompt_tokens: whole('Tokens of its prompt, as the gateway estimates them.'),
    chosen: orNull(whole('The replica that it goes to, counted from 1; null if it is one of two at random.')),
    why: word(
      ['prefix', 'session', 'load', 'tie', 'only', 'random'],
      'The reason: the prefix in its cache, its session, its load, a hash among near costs (`tie`), no other usable replica, or chance.',
    ),
    replicas: list(FIGURES),
  },
  'PoolChoice',
  'The choice among the replicas of a pool, as the gateway that is asked would make it now.',
)

export interface ShownChoice extends TypeOf<typeof POOL_CHOICE> {}
export type ShownFigures = ShownChoice['replicas'][number]

export const shownChoice = ({ pool, balance, promptTokens, chosen, why, replicas }: PoolChoice): ShownChoice => ({
  ...{ pool, balance, prompt_tokens: promptTokens, chosen: chosen === undefined ? null : chosen + 1, why },
  replicas: replicas.map(shownFigures),
})

const shownFigures = (replica: WeighedReplica, index: number): ShownFigures => ({
  ...{ replica: index + 1, url: replica.url, fitness: replica.fitness, full: replica.full },
  ...{ miss_tokens: replica.miss, owed_tokens: replica.owedTokens, held_tokens: replica.heldTokens },
  ...{ running: replica.inFlight, cost: replica.cost, near: replica.near },
  load_age_ms: replica.reportAge ?? null,
})

/** Said where no gateway is asked, which alone knows what replicas have. */
export const NOTHING_CACHED =
  'No gateway was asked, so nothing is cached yet: replicas are chosen as by one that has just started.'

/** Said of a case that gives what replicas have. */
export const ONLY_GIVEN = 'No gateway was asked: replicas have what the case gives, and nothing else is cached yet.'
