import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { isMap, parse, parseDocument } from 'yaml'
import { registerInit } from '../../../src/cli/init/init.ts'
import { load } from '../../../src/config/load.ts'
import { runCommand } from '../../cli/run-command.ts'
import { merge } from '../../docs/merge.ts'
import { blocksOf } from '../../docs/page.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ROOT, textOf } from '../files.ts'
import { askedBy, itRenders, objectsIn } from './chart.ts'

const PAGE = 'docs/how-to/policies-in-git.md'

/** The file as docs/how-to/policies-in-git.md shows it. */
function shown(file: string): string {
  const block = blocksOf(PAGE).find(({ text }) => text.startsWith(`# ${file}\n`))
  if (!block) throw new Error(`the page shows no ${file}`)
  return block.text
}

interface Values {
  readonly existingConfigMap: string
  readonly env: readonly { readonly name: string; readonly value: string }[]
}
const values: Values & Record<string, unknown> = parse(shown('values.yaml'))
const [generated]: { name: string; files: string[] }[] = parse(shown('kustomization.yaml')).configMapGenerator

/** No workflow runs here. */
const IMAGE = `registry.example/svc-gateway@sha256:${'0'.repeat(64)}`

/** Makes the repository that a reader of the page has: that of `svcctl init --repo`, with the policies beside config.yaml. */
async function repository(folder: string): Promise<void> {
  await runCommand(registerInit, ['init', '--repo', '--package', IMAGE, folder])
  for (const name of readdirSync(join(folder, 'policies')).filter(each => each.endsWith('.yaml')))
    cpSync(join(folder, 'policies', name), join(folder, name))
  for (const name of ['config.yaml', 'pools.yaml']) {
    const document = parseDocument(readFileSync(join(folder, name), 'utf8'))
    const { contents } = parseDocument(shown(name))
    if (!isMap(document.contents) || !isMap(contents)) throw new Error(`${name} is no mapping`)
    merge(document.contents, contents)
    writeFileSync(join(folder, name), document.toString())
  }
}

it('the ConfigMap of the repository is one that each gateway of the chart serves', async () => {
  const folder = temporaryFolder('policies')
  await repository(join(folder, 'repository'))
  // A ConfigMap has no folders: kustomize names its entries by the last part of each path.
  const mounted = join(folder, 'mounted')
  mkdirSync(mounted)
  for (const file of generated?.files ?? []) {
    const text = readFileSync(join(folder, 'repository', file), 'utf8')
    writeFileSync(join(mounted, basename(file)), text.replaceAll('/run/secrets/svc-gateway', folder))
  }
  for (const secret of ['admin-token', 'metrics-token', 'redis-password', 'cloud-key'])
    writeFileSync(join(folder, secret), 'a-secret-of-24-characters')
  const env = Object.fromEntries(values.env.map(({ name, value }) => [name, value]))

  const result = load('config.yaml', { POD_IP: '10.1.2.3', ...env }, mounted)

  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1))
  const { settings, warnings, config } = result.loaded
  expect(warnings.map(({ rule }) => rule)).toEqual(['admin-exposed'])
  expect(settings.server).toMatchObject({
    listen: { host: '0.0.0.0', port: 8080 },
    admin: { host: '0.0.0.0', port: 9090 },
    stateDir: '/var/lib/svc-gateway/data',
    instances: 2,
  })
  expect(settings.store.kind).toBe('redis')
  expect([...config.plans.keys()]).toEqual(['free', 'pro'])
})

it('config.yaml of the repository has the settings of the chart, except for its policies, admin address and public URL', () => {
  const [configMap] = objectsIn(textOf('deploy/kubernetes/redis.yaml')).filter(({ kind }) => kind === 'ConfigMap')
  const { include: _, ...ofChart } = parse(
    (configMap?.data as Record<string, string> | undefined)?.['config.yaml'] ?? '',
  )
  const ofPage = parse(shown('config.yaml'))

  expect(ofPage).toMatchObject({
    ...ofChart,
    server: { ...ofChart.server, admin: ofPage.server.admin, public_url: ofPage.server.public_url },
  })
  expect(values.env).toEqual([{ name: 'ADMIN', value: ofChart.server.admin }])
})

itRenders('the chart mounts the ConfigMap of the repository, and lets its configuration be reached', () => {
  const folder = temporaryFolder('policies')
  mkdirSync(join(folder, 'repository'))
  symlinkSync(ROOT, join(folder, 'svc-gateway'))
  writeFileSync(join(folder, 'repository/values.yaml'), shown('values.yaml'))
  const commands = blocksOf(PAGE).find(({ text }) => text.includes('helm install'))?.text ?? ''

  const { objects, kubectl } = askedBy(commands, join(folder, 'repository'))

  const deployment = objects.find(({ kind }) => kind === 'Deployment')

  expect(kubectl).toEqual([['apply', '-k', '.']])
  expect(values.existingConfigMap).toBe(generated?.name)
  expect(objects.map(({ kind }) => kind)).not.toContain('ConfigMap')
  expect(deployment).toMatchObject({
    spec: {
      template: {
        spec: { volumes: expect.arrayContaining([{ name: 'config', configMap: { name: generated?.name } }]) },
      },
    },
  })
  expect(JSON.stringify(deployment)).toContain(JSON.stringify(values.env[0]))
})
