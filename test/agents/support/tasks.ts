import { afterAll, beforeAll, expect, it } from 'vitest'
import { ANSWER, type Manner, playGauges, TASK } from '../model/gauges.ts'
import type { Dialect } from '../model/model.ts'
import { Program } from './program.ts'
import { chargeFor, KEEPS, MODEL, type Rig, startRig, type Way } from './rig.ts'
import { distinctWays, pathOf } from './ways.ts'

/** Three turns with two tools, whole and streamed, on every way to an answer. */
export function taskScenarios(
  command: readonly [string, ...string[]],
  forms: Readonly<Record<string, Dialect | Form>>,
): void {
  let program: Program
  beforeAll(() => {
    program = new Program(command)
  })
  afterAll(() => program.close())

  const cases = Object.keys(forms).flatMap(form =>
    distinctWays(formOf(forms[form]).dialect, WAYS).flatMap(way =>
      streamsOf(formOf(forms[form])).map(stream => ({ form, way, stream })),
    ),
  )

  it.each(cases)('$form, $way, stream $stream: three turns, charged as counted', async ({ form, way, stream }) => {
    const { dialect, needsKept, ...manner } = formOf(forms[form])
    const rig = await startRig(way, playGauges(manner), needsKept ? KEEPS : '')
    try {
      const { key, baseURL } = rig
      const outcome = await program.run({ form, baseURL, key, model: MODEL, stream, prompt: TASK })

      expect(outcome.text).toBe(ANSWER)
      expect(outcome.ran.toSorted()).toEqual(['find_station', 'find_station', 'read_gauge'])
      expect(new Set(rig.model.served.map(({ streamed }) => streamed))).toEqual(new Set([stream]))
      expect(new Set(rig.model.served.map(({ path }) => path))).toEqual(new Set([pathOf(way, dialect)]))
      expect(await statusesOf(rig)).toEqual(new Set(way === 'limited' ? [200, 429] : [200]))
      expect(await rig.charged()).toEqual(chargeFor(rig.model))
      if (outcome.usage) expect(outcome.usage).toEqual({ input: rig.model.total.input, output: rig.model.total.output })
    } finally {
      await rig.close()
    }
  })
}

/** A form that a client does not read all of. */
export interface Form extends Manner {
  readonly dialect: Dialect
  /** It is asked for whole answers only. */
  readonly isWhole?: boolean
  /** It asks for streams only. */
  readonly isStreamed?: boolean
  /** It names answers of earlier turns, and does not repeat them. */
  readonly needsKept?: boolean
}

const streamsOf = ({ isWhole, isStreamed }: Form): readonly boolean[] =>
  [false, true].filter(stream => (stream ? !isWhole : !isStreamed))

const formOf = (form: Dialect | Form = 'chat'): Form => (typeof form === 'string' ? { dialect: form } : form)

const WAYS: readonly Way[] = ['translated', 'native', 'to-responses', 'to-messages', 'failover', 'limited']

/** Statuses of the client's answers, once all are settled. */
async function statusesOf({ test, model }: Rig): Promise<Set<number>> {
  await test.closed(model.served.length)
  // Anthropic's helper first asks for a conversation that the server keeps.
  return new Set(test.log.map(({ status }) => status).filter(status => status !== 400))
}
