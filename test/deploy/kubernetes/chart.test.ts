import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { load } from '../../../src/config/load.ts'
import { blocksOf, PAGES } from '../../docs/page.ts'
import { subjectOf, tableAbout } from '../../docs/tables.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ROOT, textOf } from '../files.ts'
import { askedBy, itRenders, type KubernetesObject, objectsIn, rendered } from './chart.ts'
import { faultsIn } from './schema.ts'

const manifests = readdirSync(join(ROOT, 'deploy/kubernetes')).filter(name => name.endsWith('.yaml'))
const objectsOf = (file: string) => objectsIn(textOf(`deploy/kubernetes/${file}`))

interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly containers: readonly {
    readonly args: readonly string[]
    readonly securityContext: object
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  }[]
  readonly volumes: readonly {
    readonly name: string
    readonly configMap?: { readonly items: readonly { readonly key: string; readonly path: string }[] }
  }[]
}

const only = (objects: readonly KubernetesObject[], kind: string): KubernetesObject => {
  const [found, ...more] = objects.filter(object => object.kind === kind)
  if (!found || more.length > 0) throw new Error(`not one ${kind}`)
  return found
}
const podOf = (object: KubernetesObject): Pod => (object.spec as { template: { spec: Pod } }).template.spec

const EVERYTHING = [
  'autoscaling={"enabled":true}',
  'serviceMonitor={"enabled":true,"labels":{"release":"prometheus"}}',
  'networkPolicy={"clients":[{"namespaceSelector":{}}],"operators":[{"podSelector":{"matchLabels":{"app":"prometheus"}}}],"egress":[{"to":[{"ipBlock":{"cidr":"10.0.0.0/8"}}]}]}',
  'image={"pullSecrets":[{"name":"registry"}]}',
  'env=[{"name":"A","value":"b"}]',
  'nodeSelector={"a":"b"}',
  'tolerations=[{"key":"a","operator":"Exists"}]',
  'affinity={"podAntiAffinity":{}}',
  'podAnnotations={"a":"b"}',
  'service={"annotations":{"a":"b"}}',
]

/** The object with the pods in each manifest. */
const KINDS = [
  ['redis.yaml', 'Deployment'],
  ['redis-autoscaled.yaml', 'Deployment'],
  ['embedded.yaml', 'StatefulSet'],
] as const

/** The `config.yaml` in the ConfigMap. */
const configIn = (objects: readonly KubernetesObject[]) =>
  parse((only(objects, 'ConfigMap') as unknown as { data: Record<string, string> }).data['config.yaml'] ?? '')

describe('the plain manifests', () => {
  it.each(manifests)('fit the schemas of Kubernetes: %s', file => {
    const objects = objectsOf(file)
    expect(objects.length).toBeGreaterThan(0)
    expect(objects.flatMap(faultsIn)).toEqual([])
  })

  itRenders('equal the output of the chart', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/kubernetes.js', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  it.each(KINDS)('a gateway loads the configuration that %s mounts, and has time to drain', (file, kind) => {
    const objects = objectsOf(file)
    const folder = temporaryFolder('chart')
    const { data } = only(objects, 'ConfigMap') as unknown as { data: Record<string, string> }
    const { volumes } = podOf(only(objects, kind))
    mkdirSync(join(folder, 'policies'))
    for (const { key, path } of volumes.find(({ name }) => name === 'config')?.configMap?.items ?? []) {
      const text = (data[key] ?? '').replaceAll('/run/secrets/svc-gateway', folder)
      writeFileSync(join(folder, path), text.replaceAll('/var/lib/svc-gateway', join(folder, 'state')))
    }
    for (const secret of ['admin-token', 'metrics-token', 'redis-password', 'cloud-key'])
      writeFileSync(join(folder, secret), 'a-secret-of-24-characters')

    const result = load('config.yaml', { POD_IP: '10.1.2.3' }, folder)

    if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1))
    const { settings, warnings } = result.loaded
    expect(warnings.map(({ rule }) => rule)).toEqual(['admin-exposed'])
    expect(settings.server.adminToken).toBeDefined()
    expect(settings.store.kind).toBe(kind === 'Deployment' ? 'redis' : 'embedded')
    const { terminationGracePeriodSeconds } = podOf(only(objects, kind))
    const { drainDelay, drainTimeout } = settings.server
    expect(terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(drainDelay + drainTimeout + 12_000)
  })

  it.each(KINDS)(
    '%s runs as non-root without capabilities, on a read-only root, and reads changes without a restart',
    (file, kind) => {
      const pod = podOf(only(objectsOf(file), kind))
      const [container] = pod.containers
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(container?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container?.args).toContain('--watch')
      // A variable would keep its value until the pod is replaced.
      expect(JSON.stringify(container)).not.toContain('secretKeyRef')
      expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/var/lib/svc-gateway')
    },
  )
})

describe('redis-autoscaled.yaml', () => {
  const scaled = objectsOf('redis-autoscaled.yaml')
  const scaler = only(scaled, 'HorizontalPodAutoscaler').spec as Record<string, unknown>

  it('leaves the replicas to the autoscaler, and tells the gateways its maximum', () => {
    const deployment = only(scaled, 'Deployment')
    expect(scaler.scaleTargetRef).toMatchObject({ kind: 'Deployment', name: deployment.metadata.name })
    expect(deployment.spec).not.toHaveProperty('replicas')
    expect(configIn(scaled).server.instances).toBe(scaler.maxReplicas)
  })

  it('has the other objects of redis.yaml, which has as many replicas as its gateways count', () => {
    const namesIn = (objects: readonly KubernetesObject[]) =>
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    const others = scaled.filter(({ kind }) => kind !== 'HorizontalPodAutoscaler')
    expect(namesIn(others)).toEqual(namesIn(objectsOf('redis.yaml')))
    expect(only(objectsOf('redis.yaml'), 'Deployment').spec).toMatchObject({
      replicas: configIn(objectsOf('redis.yaml')).server.instances,
    })
  })
})

describe('the chart', () => {
  itRenders.each([['store="redis"'], ['store="embedded"']])(
    'fits the schemas of Kubernetes with every value set: %s',
    store => {
      const objects = rendered(store, ...EVERYTHING)
      expect(objects.map(({ kind }) => kind)).toContain('ServiceMonitor')
      expect(objects.flatMap(faultsIn)).toEqual([])
    },
  )

  itRenders('merges `config` over its own configuration', () => {
    const { data } = only(rendered('config={"brand":"acme","server":{"drain_timeout":"60s"}}'), 'ConfigMap')
    expect(parse((data as Record<string, string>)['config.yaml'] ?? '')).toMatchObject({
      brand: 'acme',
      server: { drain_timeout: '60s', listen: '0.0.0.0:8080' },
    })
  })

  itRenders.each([['store="postgres"'], ['replica=2'], ['autoscaling={"max":3}']])(
    'refuses an unknown value or one out of range: %s',
    value => {
      expect(() => rendered(value)).toThrow(/values don't meet/)
    },
  )

  it('reads the admin token from a file, and no page has its reader restart pods', () => {
    const tokens = KINDS.map(([file]) => configIn(objectsOf(file)).server.admin_token)
    const restarts = PAGES.filter(page => blocksOf(page).some(({ text }) => text.includes('rollout restart')))

    expect(new Set(tokens)).toEqual(new Set(['file:/run/secrets/svc-gateway/admin-token']))
    expect(restarts).toEqual([])
  })

  itRenders('is installed by the commands of docs/kubernetes.md, with a Secret that has each file it reads', () => {
    const folder = temporaryFolder('install')
    symlinkSync(join(ROOT, 'deploy'), join(folder, 'deploy'))
    writeFileSync(join(folder, 'values.yaml'), 'image: { repository: registry.example.com/svc-gateway }\n')
    const commands = blocksOf('docs/kubernetes.md').find(({ text }) => text.includes('helm install'))?.text ?? ''

    const { objects, kubectl } = askedBy(commands, folder)

    const [namespace = [], secret = [], exec = []] = kubectl
    const data = JSON.stringify(only(objects, 'ConfigMap'))
    const read = [...data.matchAll(/file:\/run\/secrets\/svc-gateway\/([\w-]+)/g)].map(([, name]) => name)
    const deployment = only(objects, 'Deployment')
    const { volumes } = podOf(deployment)
    expect(namespace).toEqual(['create', 'namespace', 'svc-gateway'])
    expect(secret.slice(0, 6)).toEqual(['-n', 'svc-gateway', 'create', 'secret', 'generic', 'svc-gateway'])
    expect(JSON.stringify(volumes)).toContain('"secretName":"svc-gateway"')
    const given = secret.flatMap(word => /^--from-(?:literal|file)=([\w-]+)(?:=.{16,})?$/.exec(word)?.[1] ?? [])
    expect(given.sort()).toEqual([...new Set(read)].sort())
    expect(exec.slice(0, 5)).toEqual(['-n', 'svc-gateway', 'exec', `deploy/${deployment.metadata.name}`, '--'])
    expect(JSON.stringify(deployment)).toContain('"image":"registry.example.com/svc-gateway:')
  })

  it('is scaled by the metric that the rule of docs/kubernetes.md serves', () => {
    const [rule] = blocksOf('docs/kubernetes.md').flatMap(({ text }) =>
      text.startsWith('rules:') ? [parse(text)] : [],
    )
    const { spec } = only(objectsOf('redis-autoscaled.yaml'), 'HorizontalPodAutoscaler')
    const [{ pods }] = (spec as { metrics: [{ pods: { metric: { name: string } } }] }).metrics
    expect(rule.rules[0].seriesQuery).toContain(`${pods.metric.name}{`)
  })

  it('has one row for each of its values in docs/kubernetes.md, and no other', () => {
    const values = parse(textOf('deploy/helm/svc-gateway/values.yaml')) as Record<string, unknown>
    const names = [...namesOf(values)].sort()
    const rows = tableAbout(names, textOf('docs/kubernetes.md')).map(subjectOf)
    expect(rows.sort()).toEqual(names)
  })
})

describe('a field that no schema has', () => {
  it.each([
    [{ replicaz: 2 }, 'spec.replicaz'],
    [{ strategy: { rollingUpdate: { maxSurg: 1 } } }, 'spec.strategy.rollingUpdate.maxSurg'],
  ])('is found: %j', (wrong, field) => {
    const deployment = only(objectsOf('redis.yaml'), 'Deployment')
    const spec = { ...(deployment.spec as object), ...wrong }
    expect(faultsIn({ ...deployment, spec })).toEqual([`Deployment: no field ${field}`])
  })
})

/** The values by their paths. Maps whose keys users choose count as one value. */
const namesOf = (values: Record<string, unknown>, before = ''): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const isSection =
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    const isOurs = isSection && !['policies', 'resources'].includes(name)
    return isOurs ? namesOf(value as Record<string, unknown>, `${before}${name}.`) : [before + name]
  })
