import { afterAll, beforeAll, describe, it } from 'vitest'
import { openTurns, type Turns } from '../cli/in-turn.ts'
import { compileProgram } from '../cli/program.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { Reader } from './reader.ts'
import { BESIDE_EXAMPLE, BESIDE_README, blockOf, type Step } from './steps.ts'

async function follow(reader: Reader, step: Step): Promise<void> {
  const { page, line, text } = blockOf(step)
  // A block that shows output has a prompt before each command.
  const lines = text.split('\n').filter(each => !text.startsWith('$ ') || each.startsWith('$ '))
  const commands = lines.map(each => each.replace(/^\$ /, '')).join('\n')
  if (step.first) await reader.run(step.first())
  await reader.run(
    (step.words ?? []).reduce((all, [from, to]) => all.replaceAll(from, () => to), commands),
    `${page}:${line}`,
  )
}

const EXAMPLE = ['config.example.yaml', 'policies']

const program = compileProgram()

describe('the commands of a block run as printed', () => {
  let backend: Backend
  let turns: Turns
  let example: Reader
  let readme: Reader

  beforeAll(async () => {
    backend = await startBackend()
    turns = openTurns(program)
    const base = `http://127.0.0.1:${backend.port}/v1`
    const names = ['ONPREM_CORE_1', 'ONPREM_CORE_2', 'ONPREM_PRO', 'ONPREM_ULTRA', 'CLOUD']
    const machine = { main: program.main, ports: { 8000: backend.port }, turns }
    example = await Reader.arrive({
      ...machine,
      files: EXAMPLE,
      env: {
        ...Object.fromEntries(names.map(name => [name, base])),
        ONPREM_CORE_2: base.replace('127.0.0.1', 'localhost'),
      },
    })
    readme = await Reader.arrive({ ...machine, files: EXAMPLE })
  })
  afterAll(async () => {
    await Promise.all([example.leave(), readme.leave()])
    await Promise.all([turns.end(), program.end(), backend.close()])
  })

  it.each(BESIDE_EXAMPLE)('beside a gateway of config.example.yaml: $begin', step => follow(example, step))

  it.each(BESIDE_README)('beside a gateway of the policy in README.md: $begin', step => follow(readme, step))
})
