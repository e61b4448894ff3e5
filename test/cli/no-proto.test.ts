import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileProgram, type Program } from './program.ts'

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

it('no object of svcctl has a prototype that a key of somebody else could change', async () => {
  // Said at the end of the process, when all of its modules have been loaded.
  const watch =
    "process.on('exit', () => console.log('__proto__' in {}, Object.assign({}, JSON.parse('{\"__proto__\":{\"admin\":1}}')).admin))"
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(watch)}` }

  const { stdout } = await program.run(['--version'], { env })

  expect(stdout).toMatch(/\nfalse undefined\n$/)
})
