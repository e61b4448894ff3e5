import { afterAll, beforeAll } from 'vitest'
import { compileProgram, type Program } from '../../cli/program.ts'
import { Site } from './site.ts'

/** The compiled program of the gateway: there before the tests of the file that imports it, and removed after them. */
export let program: Program
/** The backends that it asks, for as long. */
export let site: Site

beforeAll(async () => {
  program = compileProgram()
  site = await Site.open()
})

afterAll(async () => {
  await program.end()
  await site.close()
})
