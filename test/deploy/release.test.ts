import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT, textOf } from './files.ts'

interface Job {
  readonly needs?: string
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

const jobs: Readonly<Record<string, Job>> = parse(textOf('.github/workflows/release.yml')).jobs
const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

it('a release runs scripts that package.json has, and programs of this repository that are there', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const named = runs.flatMap(run => [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name))

  expect(named).toContain('release')
  expect(named.filter(name => !(name in scripts))).toEqual([])
  expect(existsSync(join(ROOT, '.ci/run'))).toBe(true)
})

it('nothing is published before everything that a change must pass has passed', () => {
  const publishing = Object.entries(jobs).filter(([, { steps }]) =>
    steps.some(({ run }) => /npm publish|gh release/.test(run ?? '')),
  )
  const neededBy = (name: string): readonly string[] => {
    const before = jobs[name]?.needs
    return before === undefined ? [] : [before, ...neededBy(before)]
  }

  expect(publishing.map(([name]) => name)).toEqual(['publish'])
  expect(neededBy('publish')).toContain('check')
  expect(jobs.check?.steps.map(({ run }) => run)).toContain('.ci/run')
})
