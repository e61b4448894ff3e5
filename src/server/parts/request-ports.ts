import { AnswerMemory, answerMemoryBytes } from '../../gateway/answer/memory.ts'
import { BodyMemory, bodyMemoryBytes } from '../../http/ingress/body-memory.ts'
import { Turns } from '../../http/ingress/turns.ts'
import { ReadLimits } from '../../http/listener/read-limits.ts'
import { collectSoon } from '../garbage.ts'
import { memoryBytes } from '../machine.ts'
import type { Base } from './base.ts'
import type { Machine } from './machine.ts'
import type { Records } from './records.ts'
import type { Stored } from './stored.ts'
import type { Upstream } from './upstream.ts'

interface RequestParts {
  readonly stored: Stored
  readonly records: Records
  readonly machine: Machine
  readonly upstream: Upstream
}

/** Builds the ports for client and operator requests. `processes` share the memory of the machine. */
export function requestPorts(base: Base, { stored, records, machine, upstream }: RequestParts, processes = 1) {
  const { world, clock, metrics, alarm, serving } = base
  const { store, keyUses, storeHealth, callerWatch, leases } = stored
  const { pools, healthChecks, probes, mirrors } = upstream
  const memory = memoryBytes()
  const collect = collectSoon(clock, () => bodies.isNearlyEmpty && answers.isNearlyEmpty)
  const bodies: BodyMemory = new BodyMemory(() => bodyMemoryBytes(serving.settings, memory, processes), collect)
  const mostAnswers = () => answerMemoryBytes(serving.settings, memory, processes)
  upstream.mirrors.bodies = () => ({
    taken: bodies.total,
    most: bodyMemoryBytes(serving.settings, memory, processes),
  })
  const answers: AnswerMemory = new AnswerMemory(mostAnswers, clock, collect)
  return {
    ...world,
    ...{
      alarm,
      store,
      keyUses,
      storeHealth,
      callerWatch,
      leases,
      pools,
      healthChecks,
      probes,
      mirrors,
      bodies,
      answers,
    },
    decisions: records.decisions,
    counter: metrics,
    turns: new Turns(clock),
    reads: new ReadLimits(clock),
    countRead: metrics.read,
    countStranger: metrics.stranger,
    shedding: machine.shedding,
  }
}
