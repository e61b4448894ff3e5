import type { Pool } from '../../policy/config.ts'
import { jsonBytes, type RoundAnswer } from '../../wire/openai/answer.ts'
import { type CompletionTurn, joinTurns } from '../../wire/tools/completion.ts'
import { sumOfUsage } from '../../wire/tools/turn.ts'
import { attemptBuffered } from '../answer/buffered.ts'
import type { Gateway, Served } from '../request.ts'
import type { Attempted } from '../upstream/failover.ts'
import { answerTerms, forward, settle } from '../upstream/forward.ts'
import type { Failure } from '../upstream/outcome.ts'
import { endsEarly, leftAlone, roundFailed } from './ends.ts'
import { NO_USAGE, type Rounds } from './rounds.ts'

/** A whole answer with hosted tools: round after round, until the model calls no more of them. */
export async function serveToolAnswer(gateway: Gateway, rounds: Rounds): Promise<Served> {
  const { client } = rounds.call
  const turns: CompletionTurn[] = []
  const failures: Failure[] = []
  const left = new AbortController()
  const stopWatching = client.onGone(() => left.abort())
  let pool: Pool | undefined
  try {
    for (;;) {
      const attempted = await attempt(gateway, rounds, failures.length)
      failures.push(...attempted.failures)
      if (attempted.kind !== 'answered') {
        if (pool && endsEarly(attempted))
          return await answered(gateway, rounds, { pool, failures, turns, finish: 'length' })
        return await roundFailed(gateway, rounds, { ...attempted, failures }, pool)
      }
      const { answer, over } = attempted
      pool = attempted.pool
      over('well', answer)
      rounds.ended({ pool, ...answer })
      turns.push(answer.turn)
      if (answer.turn.calls.length === 0) return await answered(gateway, rounds, { pool, failures, turns })
      if (await rounds.next(answer.turn, pool, left.signal)) continue
      return client.gone
        ? await leftAlone(gateway, rounds, pool, failures)
        : await answered(gateway, rounds, { pool, failures, turns, finish: 'length' })
    }
  } finally {
    stopWatching()
  }
}

function attempt(gateway: Gateway, rounds: Rounds, failures: number): Promise<Attempted<RoundAnswer>> {
  const { admitted, hosted, startedAt, call } = rounds
  const read = (pool: Pool) => (bytes: Buffer) =>
    hosted.readRound(bytes, answerTerms(gateway, call, admitted.decision, pool.model))
  return forward(
    gateway,
    call,
    admitted,
    pool => rounds.bodyFor(pool),
    target => attemptBuffered(gateway, target, call.client, read(target.pool)),
    { startedAt, failures },
  )
}

interface Over {
  readonly pool: Pool
  readonly failures: readonly Failure[]
  readonly turns: readonly CompletionTurn[]
  /** Why it ended, where the last round does not say it. */
  readonly finish?: string
}

async function answered(gateway: Gateway, rounds: Rounds, { pool, failures, turns, finish }: Over): Promise<Served> {
  const bytes = jsonBytes(joinTurns(turns, rounds.hosted.listed, sumOfUsage(turns), finish))
  const bill = await settle(gateway, rounds.admitted, { pool, usage: NO_USAGE })
  return { kind: 'whole', admitted: rounds.first, pool, failures, bytes, bill }
}
