import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import type { Pool } from '../../policy/config.ts'
import type { WithoutLikelihoods } from '../../wire/fast/likelihoods.ts'
import { jsonBytes } from '../../wire/json-bytes.ts'
import type { RoundAnswer } from '../../wire/openai/answer.ts'
import type { EngineTerms } from '../../wire/openai/request.ts'
import { allAtOnce } from '../../wire/steps.ts'
import { type CompletionTurn, joinTurns } from '../../wire/tools/completion.ts'
import { sumOfUsage } from '../../wire/tools/turn.ts'
import { settle } from '../admission/settlement.ts'
import { attemptBuffered } from '../answer/buffered.ts'
import { workOnCopy } from '../answer/copy.ts'
import { UNCOUNTED_BYTES } from '../answer/memory.ts'
import type { Target } from '../attempt/attempt.ts'
import type { Failure, Outcome } from '../attempt/outcome.ts'
import type { AnswerCosts, Client } from '../ports.ts'
import type { InferencePorts, Served } from '../request.ts'
import { answerTerms, forward, Inference } from '../upstream/inference.ts'
import { endsEarly, leftAlone, roundFailed } from './ends.ts'
import { NO_WORK, type Rounds } from './rounds.ts'

/** A whole answer with hosted tools: round after round, until the model calls no more of them. */
export async function serveToolAnswer(gateway: InferencePorts, rounds: Rounds): Promise<Served> {
  const { client } = rounds.call
  const turns: CompletionTurn[] = []
  let light: WithoutLikelihoods | undefined
  const failures: Failure[] = []
  const left = new AbortController()
  const stopWatching = client.onGone(() => left.abort())
  let pool: Pool | undefined
  try {
    for (;;) {
      const { call, admitted } = rounds
      const attempted = await forward(gateway, call, admitted, new BufferedRound(gateway, rounds), failures.length)
      failures.push(...attempted.failures)
      if (attempted.kind !== 'answered') {
        if (pool && endsEarly(attempted))
          return await answered(gateway, rounds, { pool, failures, turns, light, finish: 'length' })
        return await roundFailed(gateway, rounds, { ...attempted, failures }, pool)
      }
      const { answer } = attempted
      pool = attempted.pool
      attempted.attempt.end('well', answer)
      rounds.ended(pool, answer)
      turns.push(answer.turn)
      light = answer.light
      if (answer.turn.calls.length === 0) return await answered(gateway, rounds, { pool, failures, turns, light })
      if (hasRoomFor(turns, client) && (await rounds.next(answer.turn, pool, left.signal))) continue
      return client.gone
        ? await leftAlone(gateway, rounds, pool, failures)
        : await answered(gateway, rounds, { pool, failures, turns, light, finish: 'length' })
    }
  } finally {
    rounds.slot.close()
    stopWatching()
  }
}

/** One round as it is sent. */
class BufferedRound extends Inference<RoundAnswer> {
  readonly #rounds: Rounds

  constructor(gateway: InferencePorts, rounds: Rounds) {
    super(gateway, rounds.call, rounds.admitted, rounds.startedAt)
    this.#rounds = rounds
  }

  protected override bodyFor(pool: Pool, engine: EngineTerms): Buffer {
    return this.#rounds.bodyFor(pool, engine)
  }

  override sketch(): PromptSketch | undefined {
    return this.#rounds.sketch
  }

  override attempt(target: Target): Promise<Outcome<RoundAnswer>> {
    const { gateway, call, admitted } = this
    const terms = () => answerTerms(gateway, call, admitted.decision, target.pool.model)
    return attemptBuffered(gateway, target, call.client, bytes => this.#rounds.hosted.readRound(bytes, terms()))
  }
}

interface Over {
  readonly pool: Pool
  readonly failures: readonly Failure[]
  readonly turns: readonly CompletionTurn[]
  /** Has the likelihoods of the last turn, where there are many. */
  readonly light: WithoutLikelihoods | undefined
  /** Why it ended, where the last round does not say it. */
  readonly finish?: string
}

async function answered(
  gateway: InferencePorts,
  rounds: Rounds,
  { pool, failures, turns, light, finish }: Over,
): Promise<Served> {
  const joined = jsonBytes(joinTurns(turns, rounds.hosted.listed, sumOfUsage(turns), finish))
  const { costs } = rounds.call.client
  // Its parts are not needed any more.
  if (!light && joined.length > UNCOUNTED_BYTES) costs?.held.hold(joined.length)
  costs?.held.holdBeside(0)
  const bytes = light ? await restoredIn(costs, light, joined) : joined
  const bill = await settle(gateway, rounds.admitted, pool, NO_WORK)
  return { kind: 'whole', admitted: rounds.first, pool, failures, bytes, bill }
}

/** With its likelihoods. Where it lost its room for them, its client gets a refusal in its place. */
async function restoredIn(costs: AnswerCosts | undefined, light: WithoutLikelihoods, joined: Buffer): Promise<Buffer> {
  const restored = light.restored(joined)
  if (!costs) return allAtOnce(restored)
  const done = await workOnCopy(costs, inTurn => inTurn(restored))
  return done === 'lost' ? joined : done.is
}

/** Counts the rounds so far, with which the next ones go on. False where there is no room for them. */
function hasRoomFor(turns: readonly CompletionTurn[], { costs }: Client): boolean {
  const bytes = turns.reduce((sum, turn) => sum + saidBytes(turn), 0)
  return !costs || bytes <= UNCOUNTED_BYTES || costs.held.holdBeside(bytes)
}

const saidBytes = ({ content, reasoning, calls }: CompletionTurn): number =>
  calls.reduce((sum, call) => sum + call.arguments.length, content.length + reasoning.length)
