import { afterAll, afterEach, beforeAll, beforeEach, it } from 'vitest'
import type { Behaviour } from '../../support/backend.ts'
import { playGauges } from '../model/gauges.ts'
import { oblige } from '../model/obliging.ts'
import { Program } from './program.ts'
import { MODEL, type Rig, startRig } from './rig.ts'

/** A feature of a library beyond calls and texts: a form of its program, with the expected result. */
export interface Feature {
  /** A backend that does what it is asked to, unless there is something else to see. */
  readonly backend?: Behaviour
  /** Looks at what the library returned, and at what the backend got. */
  check(value: unknown, rig: Rig): void
}

/** Each feature by each of a library's ways to ask, at a pool that speaks chats. */
export function featureScenarios(
  command: readonly [string, ...string[]],
  features: Readonly<Record<string, Feature>>,
  ways: readonly string[] = [''],
): void {
  let program: Program
  let rig: Rig
  beforeAll(() => {
    program = new Program(command)
  })
  afterAll(() => program.close())
  beforeEach(async () => {
    rig = await startRig('translated', playGauges())
  })
  afterEach(() => rig.close())

  const cases = Object.keys(features).flatMap(name => ways.map(way => ({ name, way })))
  it.each(cases)('$way $name', async ({ name, way }) => {
    const { backend = oblige, check } = features[name] as Feature
    rig.backend.always(backend)
    const { key, baseURL } = rig
    const { value } = await program.run({
      form: name,
      way,
      baseURL,
      key,
      model: MODEL,
      stream: false,
      prompt: QUESTION,
    })
    check(value, rig)
  })
}

/** The answer is Paris. */
const QUESTION = 'What is the capital of France?'
