import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { ROOT } from '../files.ts'

/** An object of Kubernetes, as a manifest has it. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly [field: string]: unknown
}

const CHART = join(ROOT, 'deploy/helm/svc-gateway')

const hasHelm: boolean = spawnSync('helm', ['version']).status === 0

if (!hasHelm)
  console.warn('SKIPPED: tests that render the Helm chart. Install it: go install helm.sh/helm/v3/cmd/helm@v3.22.0')

/** Tests that need helm: skipped, and counted as such, where it is missing. */
export const itRenders: typeof it.skip = it.skipIf(!hasHelm)

/** The objects that the chart makes of these values, such as `store=embedded`. Throws where it refuses them. */
export function rendered(...values: readonly string[]): readonly KubernetesObject[] {
  const flags = values.flatMap(value => ['--set-json', value])
  const args = ['template', 'svc-gateway', CHART, '--kube-version', '1.30.0', ...flags]
  const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return objectsIn(stdout)
}

/** The objects of a manifest. */
export const objectsIn = (manifest: string): readonly KubernetesObject[] =>
  parseAllDocuments(manifest).flatMap(document => {
    const object = document.toJS() as KubernetesObject | null
    return object ? [object] : []
  })
