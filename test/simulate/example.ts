import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/config/load.ts'
import type { Problem } from '../../src/config/problem.ts'
import type { Loaded } from '../../src/config/settings.ts'
import { run } from '../../src/simulate/run-tests.ts'
import { readTests, type Tests } from '../../src/simulate/test-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The configuration that ships. */
export function example(): Loaded {
  const result = load('config.example.yaml', { CLOUD_KEY: 'not-a-key' }, root)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.loaded
}

/** Reads a text as a file of tests called `t.test.yaml`. */
export function read(text: string, loaded = example()): { tests?: Tests; problems: readonly Problem[] } {
  const directory = temporaryFolder('svc-cases')
  writeFileSync(join(directory, 't.test.yaml'), text)
  const problems: Problem[] = []
  const { tests } = readTests(join(directory, 't.test.yaml'), directory, loaded, problem => problems.push(problem))
  return { ...(tests && { tests }), problems }
}

export function readGood(text: string, loaded = example()): Tests {
  const { tests, problems } = read(text, loaded)
  if (!tests) throw new Error(problems.map(({ line, message }) => `${line}: ${message}`).join('\n'))
  return tests
}

/** Results of the tests in a text. */
export async function ran(text: string, loaded = example()) {
  const { files, coverage } = await run(loaded, [readGood(text, loaded)], () => true)
  return { results: files.flatMap(({ results }) => results), coverage }
}
