import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** How many files the table names. */
const ROWS = 40

interface Cost {
  readonly lane: string
  readonly file: string
  readonly tests: number
  readonly wallMs: number
  readonly cpuMs: number
}

/** Prints where a run spent its time, by lane and by test file: `npm run test:slowest`. */
export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const costs = modules.map(costOf)
    const lanes = [...new Set(costs.map(({ lane }) => lane))].map(lane =>
      sumOf(
        lane,
        costs.filter(cost => cost.lane === lane),
      ),
    )
    const slowest = [...costs].sort((a, b) => b.wallMs - a.wallMs).slice(0, ROWS)
    console.log(`\n${[HEAD, ...lanes.map(line), '', ...slowest.map(line)].join('\n')}`)
  }
}

const HEAD = 'seconds    CPU  tests  lane        file'

const line = ({ lane, file, tests, wallMs, cpuMs }: Cost): string =>
  `${seconds(wallMs, 7)}${seconds(cpuMs, 7)}${String(tests).padStart(7)}  ${lane.padEnd(12)}${file}`

const seconds = (ms: number, width: number): string => (ms / 1000).toFixed(1).padStart(width)

function costOf(module: TestModule): Cost {
  const { duration, collectDuration, prepareDuration, setupDuration } = module.diagnostic()
  return {
    lane: module.project.name,
    file: relative(module.project.config.root, module.moduleId),
    tests: [...module.children.allTests()].length,
    wallMs: duration + collectDuration + prepareDuration + setupDuration,
    cpuMs: module.meta().cpuMs ?? 0,
  }
}

function sumOf(lane: string, files: readonly Cost[]): Cost {
  const sum = (of: (cost: Cost) => number) => files.reduce((total, cost) => total + of(cost), 0)
  return {
    lane,
    file: `${files.length} files`,
    tests: sum(({ tests }) => tests),
    wallMs: sum(({ wallMs }) => wallMs),
    cpuMs: sum(({ cpuMs }) => cpuMs),
  }
}
