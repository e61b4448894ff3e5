import * as monitoring from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as networking from 'kubernetes-models/networking.k8s.io/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'
import type { KubernetesObject } from './chart.ts'

/** The faults of an object by the schemas of Kubernetes and the Prometheus operator: wrong types and unknown fields. */
export function faultsIn(object: KubernetesObject): readonly string[] {
  const { apiVersion, kind } = object
  const Model = (KINDS[apiVersion] as Record<string, Kind> | undefined)?.[kind]
  if (!Model) return [`${apiVersion} ${kind}: no schema`]
  const unread: string[] = []
  const checks: (() => void)[] = []
  try {
    Model.prototype.validate.call(watchedFor(object, [], unread, checks))
  } catch (error) {
    return [`${kind}: ${String(error)}`]
  }
  for (const check of checks) check()
  return unread.map(field => `${kind}: no field ${field}`)
}

interface Kind {
  readonly prototype: { validate(this: unknown): void }
}

const KINDS: Readonly<Record<string, object>> = {
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'monitoring.coreos.com/v1': monitoring,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
  v1: core,
}

/** The schemas let unknown fields pass, so a field that they never read is reported as unknown. */
function watchedFor(value: unknown, path: readonly string[], unread: string[], checks: (() => void)[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const read = new Set<PropertyKey>()
  const fields = Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, watchedFor(each, [...path, field], unread, checks)]),
  )
  const target = Array.isArray(value) ? Object.values(fields) : fields
  if (!Array.isArray(value))
    checks.push(() => {
      for (const field of Object.keys(fields)) if (!read.has(field)) unread.push([...path, field].join('.'))
    })
  return new Proxy(target, {
    get: (of, field, receiver) => {
      read.add(field)
      return Reflect.get(of, field, receiver)
    },
  })
}
