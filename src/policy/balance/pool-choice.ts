import { counted } from '../counted.ts'
import type { Millis } from '../time.ts'
import { type Candidate, costAt, isNear, type Why } from './cost.ts'
import type { Balance } from './prompt-sketch.ts'

/** Whether a replica may be chosen, or why not: `behind` is passed over by `spill`, while others are not. */
export type Fitness = 'usable' | 'behind' | 'paused' | 'ejected' | 'drained'

/** A replica that a request could go to, or could not, with its figures for that request. */
export interface ReplicaFigures extends Candidate {
  readonly url: string
  readonly fitness: Fitness
  /** All of its slots are taken: the request goes to another one with a slot, or waits. */
  readonly full: boolean
  /** How long ago its engine reported its load; absent where none did. */
  readonly reportAge?: Millis
}

export interface WeighedReplica extends ReplicaFigures {
  /** In tokens of prefill. */
  readonly cost: number
  /** It may be chosen, and costs about as little as the cheapest one. */
  readonly near: boolean
}

/** The formula of a cost, as people read it. */
export const COST_TEXT =
  'A cost is miss × (1 + running) + owed + held / 20 + 128 × running, in tokens; costs within 256 tokens count as equal'

/** Why a replica gets the request: one of two is taken at random where prompts do not decide. */
export type ChosenBy = Why | 'random'

/** The choice among the replicas of a pool for one request, with what it costs at each. */
export interface PoolChoice {
  readonly pool: string
  /** How this request is spread: by prompts only where it has one. */
  readonly balance: Balance
  /** Tokens of its prompt, as the gateway estimates them. */
  readonly promptTokens: number
  /** The place of the chosen one among the replicas; absent where it is random. */
  readonly chosen?: number
  readonly why: ChosenBy
  readonly replicas: readonly WeighedReplica[]
}

/** Adds to each replica what the request costs there, and whether that is near the least cost among those that may be chosen. */
export function weighReplicas(
  figures: readonly ReplicaFigures[],
  isOpen: (index: number) => boolean,
): readonly WeighedReplica[] {
  const least = Math.min(...figures.flatMap((each, index) => (isOpen(index) ? [costAt(each)] : [])))
  return figures.map((each, index) => {
    const cost = costAt(each)
    return { ...each, cost, near: isOpen(index) && isNear(cost, least) }
  })
}

/** `main takes replica 2 (cost 412): its cache has 7900 of 8200 prompt tokens` */
export function choiceText(choice: PoolChoice): string {
  const { pool, chosen, replicas } = choice
  const replica = chosen === undefined ? undefined : replicas[chosen]
  if (!replica || chosen === undefined) return `${pool} takes the less busy of two replicas at random`
  return `${pool} takes replica ${chosen + 1} (cost ${replica.cost}): ${reasonText(choice, replica)}`
}

function reasonText({ why, promptTokens, replicas }: PoolChoice, { miss }: WeighedReplica): string {
  switch (why) {
    case 'prefix':
      return `its cache has ${promptTokens - miss} of ${counted(promptTokens, 'prompt token')}`
    case 'session':
      return 'its session belongs there'
    case 'load':
      return 'the work there is least'
    case 'tie':
      return `a hash picks one of ${replicas.filter(({ near }) => near).length} that cost about the same`
    case 'only':
      return 'no other one can take it now'
    case 'random':
      return 'one of two at random'
  }
}
