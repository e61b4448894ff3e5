import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT, textOf } from './files.ts'

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, unknown>>
}

const jobs: Readonly<Record<string, Job>> = parse(textOf('.github/workflows/release.yml')).jobs
const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

it('every npm script that the release workflow runs exists, and so does .ci/run', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const named = runs.flatMap(run => [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name))

  expect(named).toContain('release')
  expect(named.filter(name => !(name in scripts))).toEqual([])
  expect(existsSync(join(ROOT, '.ci/run'))).toBe(true)
})

/** The jobs that must pass before this one starts. */
const neededBy = (name: string): readonly string[] =>
  [jobs[name]?.needs ?? []].flat().flatMap(before => [before, ...neededBy(before)])

const stepOf = (action: string): Step | undefined =>
  Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .find(({ uses }) => uses?.startsWith(`${action}@`))

it('the jobs that publish wait for a job that runs .ci/run', () => {
  const publishing = Object.entries(jobs).filter(([, { steps }]) =>
    steps.some(step => /npm publish|gh release/.test(step.run ?? '') || step.with?.push),
  )

  expect(publishing.map(([name]) => name)).toEqual(['image', 'publish'])
  for (const [name] of publishing) expect(neededBy(name)).toContain('check')
  expect(jobs.check?.steps.map(({ run }) => run)).toContain('.ci/run')
})

it('packages are published only after the image that the chart of their version pulls', () => {
  expect(neededBy('publish')).toContain('image')
})

it('a release carries the executables of its run and no other artifact', () => {
  const pattern = String(stepOf('actions/download-artifact')?.with?.pattern)

  expect(pattern).toBe('executable-*')
  expect(String(stepOf('actions/upload-artifact')?.with?.name)).toMatch(/^executable-\$\{\{ matrix\.\w+ \}\}$/)
  expect(stepOf('docker/build-push-action')?.env).toEqual({ DOCKER_BUILD_RECORD_UPLOAD: false })
})

it('the image of a release is built from deploy/Containerfile, with an SBOM and its provenance', () => {
  const image = stepOf('docker/build-push-action')?.with ?? {}

  expect(existsSync(join(ROOT, String(image.file)))).toBe(true)
  expect(image).toMatchObject({ context: '.', push: true, sbom: true, provenance: 'mode=max' })
  expect(jobs.image?.permissions).toEqual({ contents: 'read', packages: 'write' })
})

it('the image is tagged with the appVersion of the chart, under the lower-case name of the repository', () => {
  const run = jobs.image?.steps.find(({ run: line }) => line?.includes('GITHUB_REPOSITORY'))?.run ?? ''
  const outputs = `GITHUB_OUTPUT=$(mktemp)\n${run}\ncat "$GITHUB_OUTPUT"; rm "$GITHUB_OUTPUT"`
  const { appVersion } = parse(textOf('deploy/helm/svc-gateway/Chart.yaml'))
  const env = { GITHUB_REPOSITORY: 'Acme/Gateway', GITHUB_REF_NAME: `v${appVersion}` }
  const { stdout } = spawnSync('bash', ['-e', '-c', outputs], { env, encoding: 'utf8' })

  expect(stdout).toBe(`name=ghcr.io/acme/gateway:${appVersion}\n`)
})
