import { describe, expect, it } from 'vitest'
import { widthOf } from '../../../src/cli/kit/table.ts'
import { matrixText } from '../../../src/cli/show/run.ts'
import { loadWithStandIns } from '../../../src/config/stand-ins.ts'
import type { Config } from '../../../src/policy/config.ts'

function exampleConfig(): Config {
  const result = loadWithStandIns('config.example.yaml', {}, process.cwd())
  if (!result.ok) throw new Error('the example does not load')
  return result.loaded.config
}

describe('the matrix of models by plans', () => {
  const config = exampleConfig()
  const cellsOf = (width: number) =>
    matrixText(config, width)
      .split('\n')
      .flatMap(line => line.split(/ {2,}/))

  it('has a further table below for the plans that a terminal has no room for', () => {
    for (const width of [120, 80, 60]) {
      for (const line of matrixText(config, width).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width)
      for (const { name } of config.plans.values()) expect(cellsOf(width)).toContain(name)
    }
  })

  it('is one table in a pipe', () => {
    expect(cellsOf(Number.POSITIVE_INFINITY).filter(cell => cell === 'MODEL')).toHaveLength(1)
    expect(cellsOf(60).filter(cell => cell === 'MODEL').length).toBeGreaterThan(1)
  })
})
