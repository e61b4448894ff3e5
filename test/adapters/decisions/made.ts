import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from '../../../src/config/load.ts'
import type { Config } from '../../../src/policy/config.ts'
import { decide } from '../../../src/policy/decide.ts'
import type { ChatAsk, Facts } from '../../../src/policy/facts.ts'
import { type Readings, readingsOfNumbers } from '../../../src/policy/limits/readings.ts'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { type DecisionRecord, outcomeAgain, type Seen } from '../../../src/policy/record.ts'
import { root } from '../../simulate/example.ts'

/** 2026-11-21T10:00:00Z */
export const AT = 1_795_255_200_000
export const NOTHING_USED: Readings = readingsOfNumbers([])

/** The configuration of these files. Throws where they are wrong. */
export function configOf(yaml: string): Config {
  const directory = mkdtempSync(join(tmpdir(), 'svc-config-'))
  writeFileSync(join(directory, 'config.yaml'), yaml)
  const result = load('config.yaml', {}, directory)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.loaded.config
}

/** The configuration that ships. */
export function exampleConfig(): Config {
  const result = load('config.example.yaml', { CLOUD_KEY: 'not-a-key' }, root)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.loaded.config
}

export interface Ask {
  readonly plan: string
  /** Those that an operator set for the account. */
  readonly limits?: readonly LimitRule[]
  readonly request?: Partial<ChatAsk>
  readonly signals?: Facts['signals']
  /** Earlier usage; none by default. */
  readonly seen?: Seen
}

/** Its members are in the order of its line. */
function chatOf({ model, hosted, cap, thinking, ...request }: Partial<ChatAsk> = {}): ChatAsk {
  const { stream = false, messages = 1, images = 0, textBytes = 40, tools = 0, choices = 1 } = request
  return {
    kind: 'chat',
    ...(model !== undefined && { model }),
    ...{ stream, messages, images, textBytes, tools },
    ...(hosted && { hosted }),
    ...(cap && { cap }),
    choices,
    ...(thinking !== undefined && { thinking }),
  }
}

/** A chat as the gateway writes it down. */
export function recordOf(config: Config, id: string, { plan, limits, request, signals, seen }: Ask): DecisionRecord {
  const facts: Facts = {
    at: AT,
    caller: {
      kind: 'developer',
      account: 'acct_1',
      keyPrefix: null,
      terms: { override: plan, ...(limits && { limits }) },
    },
    request: chatOf(request),
    health: { down: [] },
    signals: signals ?? Object.fromEntries(config.matchers.map(({ name }) => [name, false])),
  }
  const asked = !('denial' in decide(config, facts))
  const inputs = { facts, ...(asked && { seen: seen ?? { at: AT + 3, readings: NOTHING_USED } }) }
  const outcome = outcomeAgain(config, inputs)
  if (!outcome) throw new Error('it was decided on all that there is')
  return { id, revision: config.revision, ...inputs, outcome }
}
