import { afterAll, beforeAll, expect, it } from 'vitest'
import { ANSWER, playGauges, TASK } from '../model/gauges.ts'
import { Program } from './program.ts'
import { chargeFor, MODEL, type Rig, startRig, type Way } from './rig.ts'

/** Three turns with two tools, whole and streamed, on every way to an answer. */
export function taskScenarios(command: readonly [string, ...string[]], forms: readonly string[]): void {
  let program: Program
  beforeAll(() => {
    program = new Program(command)
  })
  afterAll(() => program.close())

  const ways: readonly Way[] = ['translated', 'failover', 'limited']
  const cases = forms.flatMap(form => ways.flatMap(way => [false, true].map(stream => ({ form, way, stream }))))

  it.each(cases)(
    '$form, $way, stream $stream: three turns with two tools, charged as counted',
    async ({ form, way, stream }) => {
      const rig = await startRig(way, playGauges())
      try {
        const { key, baseURL } = rig
        const outcome = await program.run({ form, baseURL, key, model: MODEL, stream, prompt: TASK })

        expect(outcome.text).toBe(ANSWER)
        expect(outcome.ran.toSorted()).toEqual(['find_station', 'find_station', 'read_gauge'])
        expect(rig.model.served.map(({ streamed }) => streamed)).toEqual([stream, stream, stream])
        expect(await statusesOf(rig)).toEqual(way === 'limited' ? [200, 200, 429, 200] : [200, 200, 200])
        expect(await rig.charged()).toEqual(chargeFor(rig.model))
        if (outcome.usage)
          expect(outcome.usage).toEqual({ input: rig.model.total.input, output: rig.model.total.output })
      } finally {
        await rig.close()
      }
    },
  )
}

/** Of the answers to the client, once all are settled. */
async function statusesOf({ test, model }: Rig): Promise<number[]> {
  await test.closed(model.served.length)
  return test.log.map(({ status }) => status)
}
